import { type Clock, steadyClock } from '../../base/clock.ts'
import { runLimited } from '../../base/run-limited.ts'
import { isAddressOrLocalhost } from '../../domain/url/local-host.ts'
import { isLocalNetwork } from './globally-routable.ts'
import { type Resolve, resolveBySystem } from './resolve.ts'

export interface PrivateNamesOptions {
  /** @default the operating system: hosts file, search domains, mDNS */
  readonly resolve?: Resolve
  readonly clock?: Clock
  /** Names looked up; further ones count as public. Intranets have few, lists of seeds have millions. @default 200 */
  readonly maxNames?: number
  /** Names not resolved by then count as public. @default 10_000 */
  readonly timeoutMs?: number
}

/**
 * The names among `hosts` that stand for a local network now. Looked up once, when the operator names them: a name that is public now must
 * not reach a private address later. Names of link-local addresses are not among them: cloud metadata services have those.
 */
export async function privateNames(
  hosts: Iterable<string>,
  {
    resolve = resolveBySystem,
    clock = steadyClock,
    maxNames = 200,
    timeoutMs = 10_000,
  }: PrivateNamesOptions = {},
): Promise<string[]> {
  const names = [...new Set(hosts)].filter((host) => !isAddressOrLocalhost(host)).slice(0, maxNames)
  if (names.length === 0) return []
  const found: string[] = []
  const { promise: late, resolve: tooLate } = Promise.withResolvers<void>()
  const cancel = clock.after(timeoutMs, tooLate)
  let isLate = false
  const lookUp = async (name: string): Promise<void> => {
    if (isLate) return
    const resolution = await resolve(name)
    if (resolution.ok && resolution.addresses.some(({ address }) => isLocalNetwork(address))) found.push(name)
  }
  await Promise.race([runLimited(names, LOOKUPS_AT_ONCE, lookUp), late])
  isLate = true
  cancel()
  return [...found]
}

/** Node.js runs two at a time, and a process cannot end before those that it has begun. */
const LOOKUPS_AT_ONCE = 4
