import type { ComponentChildren } from 'preact'

interface NoticeProps {
  readonly title: string
  readonly children?: ComponentChildren
}

/** A message in place of content. */
export function Notice({ title, children }: NoticeProps) {
  return (
    <section class="notice">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
