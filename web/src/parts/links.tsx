import type { ComponentChildren } from 'preact'
import { goTo, placeOf } from './location.ts'
import { safeText } from './safe-text.ts'

interface PlaceLinkProps {
  readonly to: string
  readonly children: ComponentChildren
  readonly class?: string
  readonly title?: string
  readonly current?: boolean
  readonly label?: string
}

/** A link within the page. */
export function PlaceLink({ to, children, title, label, current = false, ...rest }: PlaceLinkProps) {
  return (
    <a
      href={to}
      class={rest.class}
      title={title}
      aria-label={label}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        // The browser's own ways to open a link in another tab stay.
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        goTo(to)
      }}
    >
      {children}
    </a>
  )
}

/** A link from a URL to its report. */
export function UrlLink({ url }: { readonly url: string }) {
  return (
    <PlaceLink to={placeOf('/url', { url })} class="url-link" title={safeText(url)}>
      {safeText(url)}
    </PlaceLink>
  )
}

interface WebLinkProps {
  readonly url: string
  /** @default the URL */
  readonly children?: ComponentChildren
  readonly class?: string
}

/** A link to the page on the web, in a new tab and without a referrer. URLs other than http and https become plain text. */
export function WebLink({ url, children, ...rest }: WebLinkProps) {
  const href = webHref(url)
  if (href === undefined) return <span class={rest.class}>{children ?? safeText(url)}</span>
  return (
    <a href={href} class={rest.class} target="_blank" rel="noopener noreferrer" title="Open on the web">
      {children ?? safeText(url)}
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
