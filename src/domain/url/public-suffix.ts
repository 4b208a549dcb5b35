import { publicSuffixes } from './registered-domain.ts'

/** The public suffix of a host: `co.uk` of `www.example.co.uk`. An address or a name without a dot is its own suffix. */
export function publicSuffix(host: string): string {
  if (isUnnamed(host)) return host
  return (
    publicSuffixes().getPublicSuffix(host, { allowPrivateDomains: true, validateHostname: false }) ?? host
  )
}

/** The last label of a host: `uk` of `www.example.co.uk`. An address or a name without a dot is its own. */
export function topLevelDomain(host: string): string {
  return isUnnamed(host) ? host : host.slice(host.lastIndexOf('.') + 1)
}

function isUnnamed(host: string): boolean {
  return host.startsWith('[') || /^[\d.]+$/.test(host) || !host.includes('.')
}
