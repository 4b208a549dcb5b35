import type { ComponentChildren } from 'preact'
import { webHref } from './web-href.ts'

interface WebLinkProps {
  readonly url: string
  /** @default the URL */
  readonly children?: ComponentChildren
  readonly class?: string
}

/** A link to the page on the web, in another tab, which does not learn where it was opened from. What is no web address is only text. */
export function WebLink({ url, children, ...rest }: WebLinkProps) {
  const href = webHref(url)
  if (href === undefined) return <span class={rest.class}>{children ?? url}</span>
  return (
    <a href={href} class={rest.class} target="_blank" rel="noopener noreferrer" title="Open on the web">
      {children ?? url}
      <span class="outward" aria-hidden="true">
        ↗
      </span>
    </a>
  )
}
