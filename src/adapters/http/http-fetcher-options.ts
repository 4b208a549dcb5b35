import { readFileSync } from 'node:fs'
import { type Clock, steadyClock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { CookieJar } from './cookie-jar.ts'
import type { HostCredentials } from './credentials.ts'
import type { DnsCacheOptions } from './dns-cache.ts'
import type { PrivateAccess } from './permitted-addresses.ts'
import type { ProxyOptions } from './proxy.ts'
import type { ProxyEvent } from './proxy-pool.ts'
import type { Resolve } from './resolve.ts'
import type { AgentIdentity } from './user-agent.ts'

/** Enough to keep one connection open for each of thousands of hosts; a connection takes about 30 kB. */
const MAX_CONNECTIONS = 4_000
/** Files that the process needs for other things: database, segments, parser threads. */
const RESERVED_FILES = 300

/** How the crawler presents itself, what it accepts, and whom it may talk to. Only `agent` must be given. */
export interface HttpFetcherOptions {
  readonly agent: AgentIdentity
  /** Sent with every request in addition to the fetcher's own; a name given here replaces the fetcher's. @default {} */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent to these hosts only, by `host` or `host:port`. @default {} */
  readonly credentials?: Readonly<Record<string, HostCredentials>>
  /** Told once what the operator should know. @default none */
  readonly onWarning?: (message: string) => void

  /** Decoded bytes to keep of a body; the rest is cut and flagged. @default 10 MiB */
  readonly maxBodyBytes?: number
  /** A longer Content-Length is refused before the body is read, unless the request has its own `maxBodyBytes`. @default 100 MiB */
  readonly maxDeclaredBytes?: number
  /** @default 64 KiB */
  readonly maxHeaderBytes?: number
  /** Decoded bytes for one on the wire; more, in a body of over 1 MiB, is a bomb. @default 200 */
  readonly maxCompressionRatio?: number
  /** From the address to the finished handshake. @default 10_000 */
  readonly connectTimeoutMs?: number
  /** From the sent request to the head of the response. @default 20_000 */
  readonly headersTimeoutMs?: number
  /** Longest silence inside a body. @default 15_000 */
  readonly bodyTimeoutMs?: number
  /** From the call to the last byte. @default 60_000 */
  readonly totalTimeoutMs?: number
  /** A body that comes more slowly, counted over `rateWindowMs`, is given up. @default 1024 */
  readonly minBytesPerSecond?: number
  /** @default 30_000 */
  readonly rateWindowMs?: number
  /** Bounds for Retry-After. @default 1_000 */
  readonly minRetryAfterMs?: number
  /** @default 86_400_000 (a day) */
  readonly maxRetryAfterMs?: number

  /** Connections in all, used and idle. @default 4_000, or what the limit of open files allows */
  readonly maxConnections?: number
  /** To one origin; a second one is opened only while the first is busy. @default 6 */
  readonly maxConnectionsPerOrigin?: number
  /** How long an idle connection is kept: a little more than the usual delay between two requests. @default 15_000 */
  readonly keepAliveMs?: number
  /** Offered in the TLS handshake. @default true */
  readonly http2?: boolean

  /**
   * Whether `host` (as `new URL(…).hostname` has it) may stand for an address that is not globally routable. Allow only what the operator
   * named, and a name only if it was private when it was named: its owner can point it anywhere later. @default none may
   */
  readonly allowPrivateHosts?: (host: string) => PrivateAccess
  /** Told why a host was refused for its address, once per host and for the first few hosts. @default none */
  readonly onRefusedHost?: (reason: string) => void
  /** Hosts whose certificates are not checked. There is no way to say "all". @default [] */
  readonly insecureHosts?: readonly string[]
  /** Certificates (PEM) trusted in addition to the usual ones. @default [] */
  readonly extraCertificates?: readonly string[]
  /** @default the name servers; the operating system for hosts that `allowPrivateHosts` names */
  readonly resolve?: Resolve
  readonly dns?: DnsCacheOptions
  /** One proxy, or several to choose from. @default direct */
  readonly proxy?: ProxyOptions | readonly ProxyOptions[]
  /** How often each proxy is connected to, to find out whether it works. @default never: only requests show it */
  readonly proxyProbeMs?: number
  /** Told when a proxy is suspended or works again. @default none */
  readonly onProxyEvent?: (event: ProxyEvent) => void
  /** Whether cookies are kept and sent. A jar of the caller's own can outlive the fetcher: see `keepCookies`. @default false */
  readonly cookies?: boolean | CookieJar
  /** Times in outcomes are this clock's. @default steadyClock */
  readonly clock?: Clock
}

/** Options whose default is not a value. */
type Optional = 'resolve' | 'proxy' | 'proxyProbeMs'

/** The options with their defaults. */
export type ResolvedHttpFetcherOptions = Required<Omit<HttpFetcherOptions, Optional>> &
  Pick<HttpFetcherOptions, Optional>

const MIB = 1024 * 1024

const DEFAULTS: Omit<ResolvedHttpFetcherOptions, 'agent'> = {
  headers: {},
  credentials: {},
  onWarning: () => {},
  maxBodyBytes: 10 * MIB,
  maxDeclaredBytes: 100 * MIB,
  maxHeaderBytes: 64 * 1024,
  maxCompressionRatio: 200,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 20_000,
  bodyTimeoutMs: 15_000,
  totalTimeoutMs: 60_000,
  minBytesPerSecond: 1024,
  rateWindowMs: 30_000,
  minRetryAfterMs: 1_000,
  maxRetryAfterMs: 86_400_000,
  maxConnections: connectionLimit(),
  maxConnectionsPerOrigin: 6,
  keepAliveMs: 15_000,
  http2: true,
  allowPrivateHosts: () => false,
  onRefusedHost: () => {},
  onProxyEvent: () => {},
  insecureHosts: [],
  extraCertificates: [],
  dns: {},
  cookies: false,
  clock: steadyClock,
}

const OPTIONAL: ReadonlySet<string> = new Set(['agent', 'resolve', 'proxy', 'proxyProbeMs'])

/** Fills in the defaults. Throws a `ConfigurationError` for what cannot work. */
export function resolveOptions(given: HttpFetcherOptions): ResolvedHttpFetcherOptions {
  for (const name of Object.keys(given))
    if (!(name in DEFAULTS) && !OPTIONAL.has(name))
      throw new ConfigurationError('SETTING_INVALID', `http option ${name}: there is no such option`)
  const options = { ...DEFAULTS, ...given }
  for (const [name, value] of Object.entries(options))
    if (
      typeof value === 'number' &&
      !(Number.isFinite(value) && value >= (name === 'minBytesPerSecond' ? 0 : 1))
    )
      throw new ConfigurationError('SETTING_INVALID', `http option ${name}: ${value} is out of range`)
  if (options.minRetryAfterMs > options.maxRetryAfterMs)
    throw new ConfigurationError(
      'SETTING_INVALID',
      'http option minRetryAfterMs: must not be more than maxRetryAfterMs',
    )
  if (options.maxDeclaredBytes < options.maxBodyBytes)
    throw new ConfigurationError(
      'SETTING_INVALID',
      'http option maxDeclaredBytes: must not be less than maxBodyBytes',
    )
  for (const host of options.insecureHosts)
    if (host.includes('*') || host.includes('/'))
      throw new ConfigurationError(
        'SETTING_INVALID',
        `http option insecureHosts: ${host} is not one host; name each host in full`,
      )
  return Object.freeze(options)
}

/** Maximum number of open connections, within the limit of open files of the process. */
export function connectionLimit(limits: () => string = processLimits): number {
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits())?.[1] ?? Number.NaN)
  // Systems without /proc allow more than 1,000 files.
  if (!Number.isFinite(files)) return 1_000
  return Math.max(100, Math.min(MAX_CONNECTIONS, files - RESERVED_FILES))
}

function processLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return ''
  }
}
