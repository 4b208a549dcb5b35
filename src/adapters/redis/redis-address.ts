import { ConfigurationError } from '../../base/crawl-error.ts'

/** Where a Redis is. */
export type RedisAddress = RedisNodes &
  (
    | { readonly kind: 'single'; readonly database: number }
    | { readonly kind: 'cluster' }
    | { readonly kind: 'sentinel'; readonly master: string; readonly database: number }
  )

interface RedisNodes {
  readonly nodes: readonly RedisNode[]
  readonly user?: string
  readonly password?: string
  /** TLS. */
  readonly secure: boolean
  /** For display: without the password. */
  readonly shown: string
}

export interface RedisNode {
  readonly host: string
  readonly port: number
}

/**
 * Reads an address:
 *
 * - `redis://user:password@host:6379/0`, `rediss://…` over TLS; `host:6379` for short
 * - `redis+cluster://user:password@host:6379,host:6379` (`rediss+cluster:`): some of the nodes, the others are found
 * - `redis+sentinel://user:password@host:26379,host:26379/name-of-the-master/0` (`rediss+sentinel:`)
 *
 * User and password are percent-encoded. @throws ConfigurationError
 */
export function parseRedisAddress(written: string): RedisAddress {
  const text = SHORT.test(written) ? `redis://${written}` : written
  const match = ADDRESS.exec(text)
  if (match?.groups === undefined) throw bad(text, 'it must look like redis://host:6379/0 or host:6379')
  const { scheme = '', kind = 'single', credentials, nodes = '', path = '' } = match.groups
  const shared = {
    nodes: nodes.split(',').map((node) => nodeOf(node, kind === 'sentinel' ? 26_379 : 6_379, text)),
    ...credentialsOf(credentials, text),
    secure: scheme === 'rediss',
    shown: `${scheme}${kind === 'single' ? '' : `+${kind}`}://${nodes}${path}`,
  }
  const [first = '', second = ''] = path.split('/').slice(1)
  if (kind === 'cluster') {
    if (Number(first || 0) !== 0) throw bad(text, 'a cluster has only the database 0')
    return { ...shared, kind }
  }
  if (kind === 'sentinel') {
    if (first === '')
      throw bad(text, 'the name of the master must follow the sentinels, as in …:26379/mymaster/0')
    return { ...shared, kind, master: first, database: databaseOf(second, text) }
  }
  if (shared.nodes.length > 1) throw bad(text, 'several nodes need redis+cluster: or redis+sentinel:')
  return { ...shared, kind: 'single', database: databaseOf(first, text) }
}

const ADDRESS =
  /^(?<scheme>rediss?)(?:\+(?<kind>cluster|sentinel))?:\/\/(?:(?<credentials>[^@/]*)@)?(?<nodes>[^/@?#]+)(?<path>(?:\/[^/?#]*){0,2})$/

const SHORT = /^[^/]+:\d+(?:\/\d*)?$/

/** Whether it is meant as an address, even an invalid one. */
export function isLikeRedisAddress(text: string): boolean {
  return SHORT.test(text) || /^rediss?(?:\+\w+)?:\/\//.test(text)
}

function nodeOf(text: string, usualPort: number, address: string): RedisNode {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text)
  const port = Number(match?.[3] ?? usualPort)
  const host = match?.[1] ?? match?.[2]
  if (host === undefined || port === 0 || port > 65_535) throw bad(address, `${text} is not a host and port`)
  return { host, port }
}

function credentialsOf(text: string | undefined, address: string): { user?: string; password?: string } {
  if (text === undefined || text === '') return {}
  const [user = '', ...rest] = text.split(':')
  try {
    const password = decodeURIComponent(rest.join(':'))
    return { ...(user !== '' && { user: decodeURIComponent(user) }), ...(password !== '' && { password }) }
  } catch {
    throw bad(address, 'a % in its user or password must be written %25')
  }
}

function databaseOf(text: string, address: string): number {
  if (!/^\d{0,4}$/.test(text)) throw bad(address, `${text} is not a database number`)
  return Number(text)
}

function bad(address: string, why: string): ConfigurationError {
  const shown = address.replace(/^(\S*?:\/\/)?.*@/, '$1…@')
  return new ConfigurationError(
    'REDIS_ADDRESS_INVALID',
    `${JSON.stringify(shown)} is not a Redis address: ${why}`,
  )
}
