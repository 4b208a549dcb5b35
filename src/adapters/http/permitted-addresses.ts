import { isIP } from 'node:net'
import { refusal } from './failure.ts'
import { isGloballyRoutable, isLocalNetwork } from './globally-routable.ts'
import type { ResolvedAddress } from './resolve.ts'

/**
 * Which addresses that are not globally routable a host may have: `true`: any, for what the operator named as it stands;
 * `local-network`: loopback and private ones, but not those of cloud metadata services; `false`: none.
 */
export type PrivateAccess = boolean | 'local-network'

/**
 * The public addresses of a host, and those others that the operator allows for it.
 * @param host without brackets
 * @throws FailureError if there are none
 */
export function permittedAddresses(
  host: string,
  addresses: readonly ResolvedAddress[],
  allowPrivateHosts: (host: string) => PrivateAccess,
): readonly ResolvedAddress[] {
  if (addresses.every(({ address }) => isGloballyRoutable(address))) return addresses
  const named = isIP(host) === 6 ? `[${host}]` : host
  const access = allowPrivateHosts(named)
  if (access === true) return addresses
  const permitted = addresses.filter(
    ({ address }) => isGloballyRoutable(address) || (access === 'local-network' && isLocalNetwork(address)),
  )
  if (permitted.length > 0) return permitted
  const found = addresses.map(({ address }) => address).join(', ')
  const fault = isIP(host)
    ? `${host} is not a public address`
    : `${host} has no public address, only ${found}`
  throw refusal('address', `${fault}; --allow-host ${named} permits it`)
}
