import { hostOf } from './host-of.ts'
import { registeredDomain } from './registered-domain.ts'

/** Which URLs share a host queue: those of a host, of a registered domain, or of an IP address. */
export type QueueMode = 'host' | 'domain' | 'ip'

/**
 * The queue of a normalised URL. Scheme and port are not part of it: they lead to the same machine.
 * By `ip` it is the address that the host resolved to; the host itself while there is none.
 * @example
 * queueKey('https://www.example.co.uk/a', 'host') // → 'www.example.co.uk'
 * queueKey('https://www.example.co.uk/a', 'domain') // → 'example.co.uk'
 */
export function queueKey(url: string, mode: QueueMode, address?: string): string {
  const host = hostOf(url)
  if (mode === 'domain') return registeredDomain(host)
  return mode === 'ip' ? (address ?? host) : host
}
