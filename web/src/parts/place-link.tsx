import type { ComponentChildren } from 'preact'
import { goTo } from './location.ts'

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
