import type { FetchFailure } from '../domain/segment/fetch-failure.ts'
import { formatCount, formatNumber, printableLine } from './format-values.ts'

/** One line for a run without a fetched page: the counts of failures by kind, an example, and what to do next. */
export function nothingFetchedText(failures: readonly FetchFailure[]): string {
  const [first] = failures
  const total = failures.reduce((sum, failure) => sum + failure.count, 0)
  if (first === undefined) return 'no page could be fetched'
  const kinds = failures.slice(0, 5).map((failure) => `${formatNumber(failure.count)} ${failure.kind}`)
  const more = failures.length > 5 ? [formatCount(failures.length - 5, 'more kind')] : []
  const example = `${printableLine(first.url, 500)}: ${printableLine(first.reason, 300)}`
  return `no page could be fetched; ${formatCount(total, 'request')} failed: ${printableLine([...kinds, ...more].join(', '), 500)}. Example: ${example}. ${remedyFor(first.kind)}`
}

function remedyFor(kind: string): string {
  const known = REMEDIES.find(([pattern]) => pattern.test(kind))
  return known?.[1] ?? 'Use orbweaver check <url> to see the request and the response.'
}

/** What to do next, by kind of `FetchFailure` or failure code of a spider. The first match counts. */
const REMEDIES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^handler-/, 'Fix the handler of the spider; the stack trace is above.'],
  [/dns-not-found/, 'Check the spelling of the host name.'],
  [/dns-failed/, 'Check the network and the DNS server of this machine.'],
  [/connect-refused/, 'Check that a server listens on this host and port.'],
  [
    /connect-|timeout|reset|proxy|too-slow/,
    'Check the network, the firewall and http.proxy, then run the command again.',
  ],
  [/tls/, 'Check the certificate of the site; --insecure-host skips the check for a host that you trust.'],
  [
    /(?:HTTP |http-)(?:429|503|420|509|529)/,
    'The site limits the request rate: increase --delay, and run the command again later.',
  ],
  [
    /(?:HTTP |http-)(?:401|402|403|406|407|451|999)/,
    'The site denies access: identify your crawler with --agent, --contact and --email, or contact the site owner.',
  ],
  [/(?:HTTP |http-)(?:404|410)/, 'Check the seed URLs.'],
  [/(?:HTTP |http-)5\d\d/, 'The server has an error: run the command again later.'],
  [/^robots/, 'The site does not allow this crawler; orbweaver check <url> shows the rule of robots.txt.'],
  [/redirect not followed/, 'Give the redirect target as a seed, or widen the scope with --scope domain.'],
  [/port/, 'Browsers and crawlers block this port: serve the site on another one.'],
  [/address/, 'If the host is in your private network, allow it with --allow-host.'],
]
