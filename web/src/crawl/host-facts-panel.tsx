import type { HostFacts } from '../../../src/adapters/serve/responses.ts'
import { formatBytes, formatDuration, formatNumber, formatTime } from '../parts/format.ts'
import { UrlLink } from '../parts/links.tsx'
import { safeText } from '../parts/safe-text.ts'
import { Facts } from './fetch-facts.tsx'

/** What the HostDb knows about a host. */
export function HostFactsPanel({ facts }: { readonly facts: HostFacts }) {
  const { averageMs, minMs, maxMs, robots, address, linkScore, lastResponseTime } = facts
  return (
    <section class="panel wide" aria-labelledby="host-facts">
      <h2 id="host-facts">All requests to this host</h2>
      <Facts
        facts={[
          ['requests', formatNumber(facts.fetches)],
          ['responses', formatNumber(facts.responses)],
          ['last response', lastResponseTime === undefined ? 'never' : formatTime(lastResponseTime)],
          ...(averageMs === undefined || minMs === undefined || maxMs === undefined
            ? []
            : [
                ['average response time', formatDuration(averageMs)] as const,
                ['fastest and slowest', `${formatDuration(minMs)} – ${formatDuration(maxMs)}`] as const,
              ]),
          ['content', formatBytes(facts.bytes)],
          ['DNS failures', formatNumber(facts.dnsFailures)],
          ['connection failures', formatNumber(facts.connectionFailures)],
          ['server errors', formatNumber(facts.serverErrors)],
          ['failures in a row', formatNumber(facts.failuresInARow)],
          ...(robots === undefined ? [] : [['robots.txt', robots] as const]),
          ...(address === undefined ? [] : [['address', safeText(address)] as const]),
          ...(linkScore === undefined
            ? []
            : [['LinkRank', String(Number(linkScore.toPrecision(4)))] as const]),
        ]}
      />
      {facts.homePage !== undefined && (
        <p>
          Home page: <UrlLink url={facts.homePage} />
        </p>
      )}
      {facts.lastFailure !== undefined && <p class="quiet">Last failure: {safeText(facts.lastFailure)}</p>}
    </section>
  )
}
