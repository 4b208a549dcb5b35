import { isIP } from 'node:net'

/** Whether a host (as `hostOf` has it) is an address literal or localhost: its address is in the URL itself and cannot change. */
export function isAddressOrLocalhost(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0 || host === 'localhost' || host.endsWith('.localhost')
}

/**
 * Top-level domains without public names: RFC 6761 (localhost), RFC 6762 (local, and those of its appendix G), RFC 8375 (home.arpa), and
 * `internal`, which ICANN reserved for private use.
 */
const LOCAL_SUFFIX =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/

/** Whether a name can only resolve in a local network: it has a suffix for that, or no dot at all. */
export function isLocalName(name: string): boolean {
  return !name.includes('.') || LOCAL_SUFFIX.test(name)
}
