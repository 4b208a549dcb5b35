import { type CrawlMetric, gauge, inSeconds } from './crawl-metric.ts'

/** Numbers of hosts, and figures of the hosts with the longest queues and of those that are parked longest. */
export const HOST_METRICS: readonly CrawlMetric[] = [
  gauge('orbweaver_hosts', 'Hosts in the host queues.', ({ hosts }) => hosts.known),
  gauge(
    'orbweaver_parked_hosts',
    'Hosts that get no requests for a time, after repeated failures or by their own request.',
    ({ hosts }) => hosts.parked,
  ),
  gauge(
    'orbweaver_robots_failed_hosts',
    'Hosts whose robots.txt could not be fetched.',
    ({ hosts }) => hosts.robotsFailed,
  ),
  gauge(
    'orbweaver_host_queued_urls',
    'URLs in the queue of a host; only the 20 hosts with the longest queues.',
    ({ longestQueues }) => longestQueues.map(({ host, queued }) => ({ value: queued, labels: { host } })),
    'host',
  ),
  gauge(
    'orbweaver_host_delay_seconds',
    'Effective delay between requests to a host, in seconds; only the 20 hosts with the longest queues.',
    ({ longestQueues }) =>
      longestQueues.map(({ host, delayMs }) => ({ value: inSeconds(delayMs), labels: { host } })),
    'host',
  ),
  gauge(
    'orbweaver_host_parked_until_timestamp_seconds',
    'When a parked host may be requested again, in seconds since the epoch; only the 20 hosts that are parked longest.',
    ({ parkedLongest }) =>
      parkedLongest.map(({ host, parkedUntil = 0 }) => ({ value: inSeconds(parkedUntil), labels: { host } })),
    'host',
  ),
]
