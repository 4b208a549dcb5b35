import { type CrawlMetric, gauge, inSeconds } from './crawl-metric.ts'

/** Most workers with a metric of their own. */
const MAX_WORKERS = 100

const QUEUE_STATES = ['waiting', 'delayed', 'leased'] as const

/** Figures of a crawl in Redis. */
export const FLEET_METRICS: readonly CrawlMetric[] = [
  gauge(
    'orbweaver_fleet_workers',
    'Workers of the fleet whose lease has not expired.',
    ({ fleet, at }) => fleet?.workers.filter(({ expiresAt }) => expiresAt > at).length,
  ),
  gauge(
    'orbweaver_fleet_worker_heartbeat_timestamp_seconds',
    `Last heartbeat of a worker, in seconds since the epoch; at most ${MAX_WORKERS} workers.`,
    ({ fleet }) =>
      fleet?.workers
        .slice(0, MAX_WORKERS)
        .map(({ name, heardAt }) => ({ value: inSeconds(heardAt), labels: { worker: name } })),
    'worker',
  ),
  gauge(
    'orbweaver_fleet_requests',
    'Requests in Redis: waiting, delayed until their host may be requested again, or leased to a worker.',
    ({ fleet }) => fleet && QUEUE_STATES.map((state) => ({ value: fleet.queue[state], labels: { state } })),
    'state',
  ),
  gauge(
    'orbweaver_fleet_seen_urls',
    'URLs in the dupefilter of the fleet.',
    ({ fleet }) => fleet?.queue.seen,
  ),
  gauge(
    'orbweaver_fleet_items',
    'Items that the fleet has stored in Redis.',
    ({ fleet }) => fleet?.queue.items,
  ),
  gauge(
    'orbweaver_fleet_unread_items',
    'Items in Redis that no consumer has taken.',
    ({ fleet }) => fleet?.queue.itemsLeft,
  ),
  gauge(
    'orbweaver_fleet_dead_letters',
    'Failed requests that the fleet does not retry.',
    ({ fleet }) => fleet?.deadLetters,
  ),
  gauge(
    'orbweaver_fleet_start_urls',
    'Start URLs in Redis that no worker has taken.',
    ({ fleet }) => fleet?.startUrls,
  ),
]
