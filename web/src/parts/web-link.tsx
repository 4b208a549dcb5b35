import type { ComponentChildren } from 'preact'

interface WebLinkProps {
  readonly url: string
  /** @default the URL */
  readonly children?: ComponentChildren
  readonly class?: string
}

/** A link to the page on the web, in a new tab and without a referrer. URLs other than http and https become plain text. */
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

/** The URL if it is http or https; `undefined` for others, such as `javascript:`. */
export function webHref(url: string): string | undefined {
  const parsed = URL.parse(url)
  return parsed?.protocol === 'http:' || parsed?.protocol === 'https:' ? parsed.href : undefined
}
