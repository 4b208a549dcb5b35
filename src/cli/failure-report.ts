import type { FetchFailure } from '../domain/segment/fetch-failure.ts'
import { formatCount, formatNumber, printableLine } from './format-values.ts'

/** One line for a run that fetched nothing: why, how often, an example, and what to do about it. */
export function nothingFetchedText(failures: readonly FetchFailure[]): string {
  const [most] = failures
  const total = failures.reduce((sum, failure) => sum + failure.count, 0)
  if (most === undefined) return 'no page could be fetched'
  const kinds = failures.slice(0, 5).map((failure) => `${formatNumber(failure.count)} ${failure.kind}`)
  const more = failures.length > 5 ? [`${failures.length - 5} more kinds`] : []
  const example = `${printableLine(most.url, 500)}: ${printableLine(most.reason, 300)}`
  return `no page could be fetched; ${formatCount(total, 'request')} failed: ${printableLine([...kinds, ...more].join(', '), 500)}. Example: ${example}. ${remedyFor(most.kind)}`
}

function remedyFor(kind: string): string {
  const known = REMEDIES.find(([pattern]) => pattern.test(kind))
  return known?.[1] ?? 'Use orbweaver check <url> to see the request and the response.'
}

/** By the kinds of `FetchFailure` and the failure codes of spiders. */
const REMEDIES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^handler-/, 'Fix the handler of the spider; the messages above have the stack.'],
  [/dns-not-found/, 'Check the spelling of the host name.'],
  [/dns-failed/, 'Check the network and the DNS server of this machine.'],
  [/connect-refused/, 'Check that a server listens on this host and port.'],
  [
    /connect-|timeout|reset|proxy|too-slow/,
    'Check the network, the firewall and http.proxy, then run it again.',
  ],
  [/tls/, 'Check the certificate of the site; http.insecureHosts skips the check for hosts that you trust.'],
  [
    /(?:HTTP |http-)(?:429|503|420|509|529)/,
    'The site limits the request rate: raise --delay and run it again later.',
  ],
  [
    /(?:HTTP |http-)(?:401|402|403|406|407|451|999)/,
    'The site denies access: name yourself with --agent, --contact and --email, or contact its owner.',
  ],
  [/(?:HTTP |http-)(?:404|410)/, 'Check the seed URLs.'],
  [/(?:HTTP |http-)5\d\d/, 'The site fails: run it again later.'],
  [/^robots/, 'The site does not allow this crawler; orbweaver check <url> shows the rule of robots.txt.'],
  [/redirect not followed/, 'Give the redirect target as a seed, or widen the scope with --scope domain.'],
  [/port/, 'Serve the site on another port: no crawler or browser connects to this one.'],
  [/address/, 'If the host is meant to be in a private network, add it to http.allowPrivateHosts.'],
]
