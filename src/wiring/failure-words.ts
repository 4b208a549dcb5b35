import { printableLine } from '../base/format-values.ts'
import { reasonPhrase } from '../base/reason-phrase.ts'
import type { FetchFailure } from '../domain/segment/fetch-failure.ts'

/** A kind of `FetchFailure`, or the failure code of a spider, in plain words: `HTTP 404 (not found)`. */
export function kindText(kind: string): string {
  return printableLine(wordsFor(kind).text ?? kind, 80)
}

/** The cause of a failure in one sentence: `example.org does not resolve (ENOTFOUND)`. */
export function causeText(failure: FetchFailure): string {
  const { kind, url } = failure
  const about = { host: URL.parse(url)?.host ?? url, url, detail: detailOf(failure), text: kindText(kind) }
  const sentence = wordsFor(kind).sentence?.(about) ?? `${url}: ${about.detail}`
  return printableLine(sentence, 500)
}

/** What to do about a kind of failure. */
export function remedyFor(kind: string): string {
  return wordsFor(kind).remedy
}

/** What a reason says in addition to its kind; the kind if it says nothing. */
export function detailOf({ kind, reason, url }: FetchFailure): string {
  const cause = kind.replace(/^(?:network|refused)-/, '')
  const robots =
    /^robots\.txt could not be fetched \((?:network-failure: |refused: )?([\w-]+).*?\);? ?(.*)$/.exec(reason)
  if (robots?.[1] === cause) return `request for robots.txt${robots[2] === '' ? '' : `; ${robots[2]}`}`
  return without(`${URL.parse(url)?.hostname}: `, without(`${cause}: `, reason))
}

function without(prefix: string, text: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text
}

interface FailureWords {
  /** @default the kind itself */
  readonly text?: string
  /** @default the URL and the reason */
  readonly sentence?: (about: About) => string
  readonly remedy: string
}

interface About {
  readonly host: string
  readonly url: string
  readonly detail: string
  readonly text: string
}

function wordsFor(kind: string): FailureWords {
  const status = /^(?:HTTP |http-)(\d{3})( for robots\.txt)?$/.exec(kind)
  if (status !== null) return httpWords(Number(status[1]), status[2] !== undefined)
  return KINDS.find(([pattern]) => pattern.test(kind))?.[1] ?? UNKNOWN
}

function httpWords(status: number, isRobots: boolean): FailureWords {
  const phrase = reasonPhrase(status)?.toLowerCase()
  const text = phrase === undefined ? `HTTP ${status}` : `HTTP ${status} (${phrase})`
  const remedy = HTTP_REMEDIES.find(([pattern]) => pattern.test(String(status)))?.[1] ?? UNKNOWN.remedy
  if (!isRobots) return { text, sentence: ({ host }) => `${host} returned ${text}`, remedy }
  return {
    text: `${text} for robots.txt`,
    sentence: ({ host }) =>
      `robots.txt of ${host} returned ${text}, so the site must not be crawled now (RFC 9309)`,
    remedy,
  }
}

const UNKNOWN: FailureWords = { remedy: 'Use orbweaver check <url> to see the request and the response.' }

const HTTP_REMEDIES: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^(?:429|503|420|509|529)/,
    'The site limits the request rate: increase --delay, and run the command again later.',
  ],
  [/^407/, 'Check the user and the password of http.proxy.'],
  [
    /^(?:401|402|403|406|451|999)/,
    'The site denies access: identify your crawler with --agent, --contact and --email, or contact the site owner.',
  ],
  [/^(?:404|410)/, 'Check the seed URLs.'],
  [/^5/, 'The server has an error: run the command again later.'],
]

const NETWORK = 'Check the network, the firewall and http.proxy, then run the command again.'

/** The first match counts. */
const KINDS: ReadonlyArray<readonly [RegExp, FailureWords]> = [
  [
    /^handler-|^hook-|^no-handler|^meta-invalid/,
    {
      sentence: ({ detail, url }) => `every page failed in the spider: ${detail} (${url})`,
      remedy: 'Fix the spider; the stack trace is above.',
    },
  ],
  [
    /dns-not-found/,
    {
      text: 'host name does not resolve',
      sentence: ({ host, detail }) => `${host} does not resolve (${detail})`,
      remedy: 'Check the spelling of the host name.',
    },
  ],
  [
    /dns-failed/,
    {
      text: 'DNS lookup failed',
      sentence: ({ host, detail }) => `the DNS lookup of ${host} failed (${detail})`,
      remedy: 'Check the network and the DNS server of this machine.',
    },
  ],
  [
    /connect-refused/,
    {
      text: 'connection refused',
      sentence: ({ host, detail }) => `${host} refused the connection (${detail})`,
      remedy: 'Check that a server listens on this host and port.',
    },
  ],
  [
    /connect-timeout/,
    {
      text: 'connection timeout',
      sentence: ({ host, detail }) => `${host} did not accept the connection in time (${detail})`,
      remedy: NETWORK,
    },
  ],
  [
    /connect-failed/,
    {
      text: 'no connection',
      sentence: ({ host, detail }) => `no connection to ${host} (${detail})`,
      remedy: NETWORK,
    },
  ],
  [
    /timeout|too-slow/,
    {
      text: 'response timeout',
      sentence: ({ host, detail }) => `${host} did not respond in time (${detail})`,
      remedy: 'Run the command again later, or allow more time with --timeout.',
    },
  ],
  [
    /reset/,
    {
      text: 'connection closed by the server',
      sentence: ({ host, detail }) => `${host} closed the connection (${detail})`,
      remedy: NETWORK,
    },
  ],
  [
    /proxy/,
    {
      text: 'proxy failed',
      sentence: ({ detail }) => `the proxy failed (${detail})`,
      remedy: 'Check --proxy, ORBWEAVER_PROXY and http.proxy.',
    },
  ],
  [
    /tls/,
    {
      text: 'TLS failed',
      sentence: ({ host, detail }) => `the TLS connection to ${host} failed (${detail})`,
      remedy: 'Check the certificate of the site; --insecure-host skips the check for a host that you trust.',
    },
  ],
  [
    /^robots-unreachable|^robots\.txt (?:could not|broke|has)/,
    {
      text: 'robots.txt could not be fetched',
      sentence: ({ host, detail }) => `robots.txt of ${host} ${detail.replace(/^robots\.txt /, '')}`,
      remedy: 'Without it, the site must not be crawled (RFC 9309): run the command again later.',
    },
  ],
  [
    /^robots/,
    {
      text: 'disallowed by robots.txt',
      sentence: ({ host, url, detail }) =>
        `robots.txt of ${host} disallows ${url} (${detail.replace('robots.txt: ', '')})`,
      remedy: 'The site does not allow this crawler; orbweaver check <url> shows the rule.',
    },
  ],
  [
    /redirect not followed/,
    {
      sentence: ({ url, detail }) => `${url} redirects to a URL that this crawl does not fetch: ${detail}`,
      remedy: 'Give the redirect target as a seed, or widen the scope with --scope domain.',
    },
  ],
  [
    /^(?:refused-)?port/,
    {
      text: 'blocked port',
      sentence: ({ url, detail }) => `${url} was not requested: ${detail}`,
      remedy: 'Browsers and crawlers block this port: serve the site on another one.',
    },
  ],
  [
    /^(?:refused-)?address/,
    {
      text: 'private address',
      sentence: ({ host, detail }) => `${host} was not requested: ${detail}`,
      remedy: 'If the host is in your private network, allow it with --allow-host.',
    },
  ],
]
