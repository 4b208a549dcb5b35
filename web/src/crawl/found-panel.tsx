import type { ComponentChild } from 'preact'
import type { UrlReport } from '../../../src/adapters/serve/responses.ts'
import { UrlLink } from '../parts/links.tsx'

/** The pages on which a URL was found, and its inlinks. */
export function FoundPanel({ report: { seed, foundOn, inlinks, record } }: { readonly report: UrlReport }) {
  return (
    <section class="panel" aria-labelledby="found">
      <h2 id="found">Found</h2>
      <ul class="lines">
        {seed && <li>a seed</li>}
        {!seed && record !== undefined && foundOn.length === 0 && <li>{unlisted(record.metadata)}</li>}
      </ul>
      <FirstOf
        lines={foundOn.map(({ fromUrl, kind, segment }) => (
          <li key={`${segment} ${kind} ${fromUrl}`}>
            <span class="quiet">{kind} on</span> <UrlLink url={fromUrl} />
          </li>
        ))}
      />
      {inlinks.length > 0 && (
        <>
          <h3>Inlinks</h3>
          <FirstOf
            lines={inlinks.map(({ from, anchor }) => (
              <li key={from}>
                <UrlLink url={from} /> <span class="quiet">“{anchor}”</span>
              </li>
            ))}
          />
        </>
      )}
    </section>
  )
}

/** For a URL without a link in the segments. */
function unlisted(metadata: Readonly<Record<string, string>>): string {
  const { foundOn, handler } = metadata
  if (foundOn !== undefined) return `found by a spider on ${foundOn}`
  return handler === undefined ? 'a seed, or a link in a deleted segment' : 'a start request of a spider'
}

/** Number of lines that are always visible. */
const VISIBLE_LINES = 8

/** A list that shows its first lines; the others can be opened. */
function FirstOf({ lines }: { readonly lines: readonly ComponentChild[] }) {
  const others = lines.slice(VISIBLE_LINES)
  return (
    <>
      <ul class="lines">{lines.slice(0, VISIBLE_LINES)}</ul>
      {others.length > 0 && (
        <details class="more">
          <summary>{others.length} more</summary>
          <ul class="lines">{others}</ul>
        </details>
      )}
    </>
  )
}
