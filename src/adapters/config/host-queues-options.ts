import { type HostOptions, usualDelayMs } from '../../domain/politeness/host-options.ts'
import type { HostQueuesOptions } from '../../domain/politeness/host-queues.ts'
import { DomainSet } from '../../domain/url/domain-set.ts'
import type { Settings } from './config-schema.ts'

type Politeness = Settings['politeness']

/** The rate limits of hosts. An entry of `hosts` also applies to its subdomains; the longest match wins. */
export function hostQueuesOptions({ hosts, ...general }: Politeness): HostQueuesOptions {
  const options = new Map(Object.entries(hosts).map(([host, own]) => [host, hostOptions(own)]))
  const names = new DomainSet(options.keys(), 'politeness.hosts')
  return { ...hostOptions(general), overrides: (key) => options.get(names.covering(key) ?? '') }
}

/** The delay between two requests to one host, for processes that do not know the outcome of the last request. */
export function hostDelayMs(politeness: Politeness): number {
  return usualDelayMs(hostOptions(politeness))
}

/** Converts seconds to milliseconds; keys that were not set stay absent. */
function hostOptions(own: Politeness['hosts'][string]): HostOptions {
  const { maxFailures } = own
  const given = {
    delayMs: milliseconds(own.delaySeconds),
    minDelayMs: milliseconds(own.minDelaySeconds),
    maxInFlight: own.threadsPerHost,
    latencyFactor: own.latencyFactor,
    backoffMs: milliseconds(own.backoffSeconds),
    maxFailures: maxFailures === false ? Number.POSITIVE_INFINITY : maxFailures,
    parkMs: milliseconds(own.parkSeconds),
    maxDelayMs: milliseconds(own.maxCrawlDelaySeconds),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000)
}
