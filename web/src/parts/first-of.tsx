import type { ComponentChild } from 'preact'

/** So many lines are shown at once. */
const SHOWN = 8

/** The first lines of a list; the others when they are wanted. */
export function FirstOf({ lines }: { readonly lines: readonly ComponentChild[] }) {
  const others = lines.slice(SHOWN)
  return (
    <>
      <ul class="lines">{lines.slice(0, SHOWN)}</ul>
      {others.length > 0 && (
        <details class="more">
          <summary>{others.length} more</summary>
          <ul class="lines">{others}</ul>
        </details>
      )}
    </>
  )
}
