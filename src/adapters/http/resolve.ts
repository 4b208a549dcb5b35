import { lookup, Resolver } from 'node:dns/promises'

/** An address of a host. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** The addresses of a name. `not-found`: the name has no address. `failed`: the lookup failed. */
export type Resolution =
  | {
      readonly ok: true
      readonly addresses: readonly ResolvedAddress[]
      /** How long the response holds. Absent: the source does not say. */
      readonly ttlMs?: number
    }
  | { readonly ok: false; readonly reason: 'not-found' | 'failed'; readonly detail: string }

/** Finds the addresses of a host name. Names only, never address literals. */
export type Resolve = (host: string) => Promise<Resolution>

const NOT_FOUND = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME', 'EAI_NODATA', 'EAI_NONAME'])

/**
 * Queries the name servers. The default for the web at large: unlike `lookup` it occupies no thread of the four that Node has, knows
 * the time to live, and can tell a name that does not exist from a server that does not respond.
 *
 * @param servers `address` or `address:port` of the name servers. Default: those the machine is set up with.
 */
export function resolveByDns(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return async (host) => {
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(host, { ttl: true }),
      resolver.resolve6(host, { ttl: true }),
    ])
    const addresses: ResolvedAddress[] = []
    let ttlMs = Number.POSITIVE_INFINITY
    for (const [response, family] of [
      [v4, 4],
      [v6, 6],
    ] as const) {
      if (response.status === 'rejected') continue
      for (const { address, ttl } of response.value) {
        addresses.push({ address, family })
        ttlMs = Math.min(ttlMs, ttl * 1_000)
      }
    }
    if (addresses.length > 0) return { ok: true, addresses, ttlMs }
    // One family without a record says nothing about the other: the failure that is not "no such name" counts.
    const errors = [v4, v6].flatMap((response) =>
      response.status === 'rejected' ? [failureOf(response.reason)] : [],
    )
    return errors.find((failure) => failure.reason === 'failed') ?? errors[0] ?? NO_ADDRESS
  }
}

/** Uses the operating system, as every other program on this machine does: hosts file, search domains, mDNS. */
export const resolveBySystem: Resolve = async (host) => {
  try {
    const responses = await lookup(host, { all: true })
    return {
      ok: true,
      addresses: responses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })),
    }
  } catch (error) {
    return failureOf(error)
  }
}

const NO_ADDRESS = { ok: false, reason: 'not-found', detail: 'no address' } as const

function failureOf(error: unknown): Resolution & { readonly ok: false } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return { ok: false, reason: NOT_FOUND.has(code) ? 'not-found' : 'failed', detail: code || String(error) }
}

/** Hosts that the operator named are found as every program on this machine finds them; the web at large by its name servers. */
export function defaultResolve(isNamed: (host: string) => unknown): Resolve {
  const byDns = resolveByDns()
  return (host) => (isNamed(host) ? resolveBySystem(host) : byDns(host))
}
