import { getServers } from 'node:dns'
import { once } from 'node:events'
import { connect } from 'node:net'
import { buildRules } from '../../adapters/config/build-rules.ts'
import type { Settings } from '../../adapters/config/config-schema.ts'
import { fetcherOptions } from '../../adapters/config/fetcher-options.ts'
import { HttpFetcher } from '../../adapters/http/http-fetcher.ts'
import { privateNames } from '../../adapters/http/private-names.ts'
import type { Clock } from '../../base/clock.ts'
import { packageVersion } from '../../base/package-version.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { header } from '../../domain/fetch/headers.ts'
import { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import type { PoliteResult } from '../../domain/politeness/polite-result.ts'
import { RobotsCache } from '../../domain/robots/robots-cache.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { queueKey } from '../../domain/url/queue-key.ts'
import { remedyFor } from '../failure-words.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Sites whose robots.txt is requested. */
export const MAX_SITES = 5

export interface SiteCheckOptions {
  readonly settings: Settings
  /** A steady clock. */
  readonly clock: Clock
  /** Stops the check; sites that were not reached are left out. */
  readonly signal: AbortSignal
}

/** Whether site owners can reach the operator of this crawler. */
export function checkAgent({ agent }: Pick<Settings, 'agent'>): Finding {
  const contact = [agent.contactUrl, agent.email].filter((value) => value !== undefined)
  return contact.length > 0
    ? ok('agent', `${agent.name}, contact ${contact.join(' and ')}`)
    : warning(
        'agent',
        `${agent.name} has no contact: site owners cannot reach you, and some block such crawlers`,
        'Crawl with --contact <url> or --email <address>, or set agent.contactUrl or agent.email.',
      )
}

/** Whether this machine has DNS servers and reaches the proxy of the settings. */
export async function checkNetwork({ http }: Pick<Settings, 'http'>): Promise<Finding[]> {
  const servers = getServers()
  const findings = [
    servers.length > 0
      ? ok('DNS', `server ${servers.join(', ')}`)
      : problem('DNS', 'no DNS server is configured', 'Check the network settings of this machine.'),
  ]
  const { proxy = [] } = http
  for (const { url } of 'url' in proxy ? [proxy] : proxy) findings.push(await checkProxy(new URL(url)))
  return findings
}

const PROXY_MS = 5_000

async function checkProxy({ protocol, hostname, port, host }: URL): Promise<Finding> {
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : protocol.startsWith('socks') ? 1080 : 80),
    timeout: PROXY_MS,
  })
  socket.on('timeout', () => socket.destroy(new Error(`no connection within ${PROXY_MS / 1000} s`)))
  try {
    await once(socket, 'connect')
    return ok('proxy', `${host} accepts connections`)
  } catch (error) {
    const { message } = error as Error
    return problem('proxy', `${host}: ${message}`, remedyFor('proxy'))
  } finally {
    socket.destroy()
  }
}

/**
 * Requests the robots.txt of the first sites as a crawl would: DNS, connection, TLS and proxy are checked on the way.
 * @param seeds absolute URLs, one per site
 */
export async function checkSites(seeds: readonly string[], options: SiteCheckOptions): Promise<Finding[]> {
  const { settings, clock, signal } = options
  const sites = seeds.slice(0, MAX_SITES)
  const hosts = sites.map(hostOf)
  const fetcher = new HttpFetcher({
    ...fetcherOptions(settings, packageVersion(), hosts, await privateNames(hosts)),
    clock,
  })
  const robots = new RobotsCache(clock, [settings.agent.name], settings.robots)
  const received = new Map<string, FetchOutcome>()
  const polite = new PoliteFetcher(
    {
      ...{ clock, fetcher, robots },
      observer: {
        sent() {},
        ended: ({ key }, outcome) => void (outcome !== undefined && received.set(key, outcome)),
      },
    },
    {
      threads: MAX_SITES,
      keyOf: (url) => queueKey(url, 'host'),
      politeness: buildRules(settings, { clock }).hosts,
    },
  )
  const stop = () => void polite.close()
  signal.addEventListener('abort', stop)
  try {
    const findings = await Promise.all(
      sites.map(async (url) => {
        // Once robots.txt is known the task is cancelled: the page itself is not requested.
        const isCancelled = () => robots.known(url) !== undefined
        const result = await polite.fetch({ request: { url }, isCancelled })
        const response = received.get(queueKey(url, 'host'))
        return [
          siteFinding(url, result, robots, response),
          ...(response === undefined ? [] : clockFindings(url, response, clock.now())),
        ]
      }),
    )
    return signal.aborted ? [] : findings.flat()
  } finally {
    signal.removeEventListener('abort', stop)
    await polite.close()
  }
}

function siteFinding(
  url: string,
  result: PoliteResult,
  robots: RobotsCache,
  response: FetchOutcome | undefined,
): Finding {
  const host = hostOf(url)
  switch (result.kind) {
    case 'host-failed':
      return unreachable(host, result.outcome)
    case 'robots-unreachable':
      return problem(
        'robots.txt',
        `${host}: ${result.reason}`,
        'No page of the host is requested until its robots.txt can be read (RFC 9309). Run this check again later.',
      )
    case 'crawl-delay-too-long':
      return problem(
        'robots.txt',
        `${host}: ${result.reason}`,
        'Increase politeness.maxCrawlDelaySeconds, or leave the site out.',
      )
    case 'disallowed':
      return problem(
        'robots.txt',
        `${host} does not allow ${url}: ${result.reason}`,
        'Leave the URL out, or request permission from the site owner.',
      )
    default:
      return ok('site', `${host}: ${connectionText(url, response)}; ${rulesText(robots, url)}`)
  }
}

function connectionText(url: string, response: FetchOutcome | undefined): string {
  const ms = response === undefined ? '' : ` in ${Math.round(response.timings.totalMs)} ms`
  return `responds${ms}${url.startsWith('https:') ? ' with a valid certificate' : ''}`
}

function rulesText(robots: RobotsCache, url: string): string {
  const known = robots.known(url)
  const delayMs = known?.rules?.crawlDelayMs
  return [
    known?.verdict.reason ?? 'allowed',
    ...(delayMs === undefined ? [] : [`Crawl-delay ${delayMs / 1000} s`]),
  ].join('; ')
}

/** The check that finds each cause of a request that did not reach its host. @default connection */
const CHECKS: Readonly<Record<string, string>> = {
  'dns-not-found': 'DNS',
  'dns-failed': 'DNS',
  tls: 'TLS',
  proxy: 'proxy',
  address: 'private address',
  port: 'port',
}

function unreachable(host: string, outcome: FetchOutcome): Finding {
  const cause = 'cause' in outcome ? outcome.cause : outcome.kind
  const detail = 'detail' in outcome ? outcome.detail : outcome.kind
  const message = detail.startsWith(host) ? detail : `${host}: ${detail}`
  return problem(CHECKS[cause] ?? 'connection', message, remedyFor(cause))
}

const MAX_SKEW_MS = 60_000

/** Compares the clock with the Date header of a response, which has a resolution of one second and may come from a cache. */
function clockFindings(url: string, outcome: FetchOutcome, now: number): Finding[] {
  if (!('response' in outcome) || header(outcome.response.headers, 'age') !== undefined) return []
  const date = Date.parse(header(outcome.response.headers, 'date') ?? '')
  const skewMs = now - date
  if (!(Math.abs(skewMs) > MAX_SKEW_MS)) return []
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  return [
    warning(
      'clock',
      `this machine is ${Math.round(Math.abs(skewMs) / 1000)} s ${direction} ${hostOf(url)}`,
      'Set the clock of this machine, for example with NTP: Retry-After dates and certificates depend on it.',
    ),
  ]
}
