import type { ComponentChildren } from 'preact'

interface NoticeProps {
  readonly title: string
  readonly children?: ComponentChildren
}

/** What stands where there is nothing to show. */
export function Notice({ title, children }: NoticeProps) {
  return (
    <section class="notice">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
