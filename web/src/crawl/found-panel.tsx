import type { UrlReport } from '../../../src/adapters/serve/answers.ts'
import { FirstOf } from '../parts/first-of.tsx'
import { UrlLink } from '../parts/url-link.tsx'

/** Where a URL was found, and who links to it. */
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
          <h3>Links to it</h3>
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

/** No segment has a link to it. */
function unlisted(metadata: Readonly<Record<string, string>>): string {
  const { foundOn, handler } = metadata
  if (foundOn !== undefined) return `by a spider on ${foundOn}`
  return handler === undefined
    ? 'a seed, or a link of a segment that is no more'
    : 'a start request of a spider'
}
