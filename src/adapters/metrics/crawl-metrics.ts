import type { LiveHistogram, LiveState } from '../../domain/live/live-report.ts'
import { type CrawlMetric, counter, gauge, histogram, inSeconds } from './crawl-metric.ts'
import { FLEET_METRICS } from './fleet-metrics.ts'
import { HOST_METRICS } from './host-metrics.ts'
import { formatValue, type Sample } from './metric-family.ts'

const STATES: readonly LiveState[] = ['running', 'paused', 'stopping', 'finished']

const STATE_METRICS: readonly CrawlMetric[] = [
  gauge(
    'orbweaver_crawl_info',
    'Kind and command of the crawl; the value is always 1.',
    ({ kind, command }) => [{ value: 1, labels: { kind, command } }],
    ...['kind', 'command'],
  ),
  gauge(
    'orbweaver_state',
    'State of the crawl: 1 for the current one, 0 for the others.',
    (crawl) => STATES.map((state) => ({ value: state === crawl.state ? 1 : 0, labels: { state } })),
    'state',
  ),
  gauge('orbweaver_start_time_seconds', 'Start of the run, in seconds since the epoch.', ({ startedAt }) =>
    inSeconds(startedAt),
  ),
  gauge(
    'orbweaver_last_progress_timestamp_seconds',
    'When a response was last received, in seconds since the epoch.',
    ({ lastProgressAt }) => inSeconds(lastProgressAt),
  ),
]

const TOTALS: readonly CrawlMetric[] = [
  counter('orbweaver_requests_total', 'Requests sent, robots.txt included.', ({ totals }) => totals.requests),
  counter(
    'orbweaver_outcomes_total',
    'Outcomes of requests without robots.txt, and of URLs that were not requested, by kind.',
    ({ outcomes }) => Object.entries(outcomes).map(([outcome, value]) => ({ value, labels: { outcome } })),
    'outcome',
  ),
  counter(
    'orbweaver_request_errors_total',
    'Requests without a usable response: network failures, 429, 5xx, invalid responses.',
    ({ totals }) => totals.errors,
  ),
  counter('orbweaver_pages_total', 'Pages fetched.', ({ totals }) => totals.pages),
  counter('orbweaver_received_bytes_total', 'Bytes of bodies, as received.', ({ totals }) => totals.bytes),
  counter('orbweaver_retries_total', 'Retries after transient failures.', ({ totals }) => totals.retries),
  counter('orbweaver_redirects_total', 'Redirects received.', ({ totals }) => totals.redirects),
  counter(
    'orbweaver_robots_requests_total',
    'Requests for robots.txt.',
    ({ totals }) => totals.robotsRequests,
  ),
  counter(
    'orbweaver_robots_disallowed_urls_total',
    'URLs not requested because robots.txt disallows them.',
    ({ totals }) => totals.robotsDisallowed,
  ),
  counter('orbweaver_items_total', 'Items stored.', ({ totals }) => totals.items),
  counter(
    'orbweaver_rejected_items_total',
    'Items rejected by the schema.',
    ({ totals }) => totals.rejectedItems,
  ),
  histogram(
    'orbweaver_response_time_seconds',
    'Time from the start of a request to the end of its response, in seconds.',
    ({ responseTimes }) => bucketsOf(responseTimes),
  ),
]

const QUEUE_METRICS: readonly CrawlMetric[] = [
  gauge(
    'orbweaver_requests_in_flight',
    'Requests in flight, and responses in processing.',
    ({ inFlight }) => inFlight,
  ),
  gauge('orbweaver_queued_urls', 'URLs in the host queues.', ({ queued }) => queued),
  gauge(
    'orbweaver_due_urls',
    'URLs that are due and not in the host queues. Absent if not known.',
    ({ due }) => due,
  ),
  gauge(
    'orbweaver_remaining_time_seconds',
    'Time until the queue is empty or the limit of pages is reached at the current rate, in seconds. Absent if not known.',
    ({ etaSeconds }) => etaSeconds,
  ),
  gauge(
    'orbweaver_round',
    'Number of the newest round of a cycle; 0 is a resumed segment.',
    ({ rounds }) => rounds[0]?.round,
  ),
  gauge(
    'orbweaver_round_urls',
    'URLs in the fetch list of the newest round.',
    ({ rounds }) => rounds[0]?.urls,
  ),
  gauge(
    'orbweaver_round_fetched_urls',
    'URLs of the newest round that were fetched.',
    ({ rounds }) => rounds[0]?.fetched,
  ),
]

const PROCESS_METRICS: readonly CrawlMetric[] = [
  counter(
    'orbweaver_process_cpu_seconds_total',
    'CPU time of the crawling process, all threads, in seconds.',
    (crawl) => crawl.process?.cpuSeconds,
  ),
  gauge(
    'orbweaver_process_resident_memory_bytes',
    'Resident memory of the crawling process, in bytes.',
    (crawl) => crawl.process?.rssBytes,
  ),
  gauge(
    'orbweaver_process_heap_used_bytes',
    'Used heap of the main thread of the crawling process, in bytes.',
    (crawl) => crawl.process?.heapUsedBytes,
  ),
  gauge(
    'orbweaver_event_loop_delay_seconds',
    'Delay of the event loop of the crawling process in the last second: median, p99 and max, in seconds.',
    (crawl) =>
      Object.entries(crawl.process?.eventLoopDelayMs ?? {}).map(([stat, ms]) => ({
        value: inSeconds(ms),
        labels: { stat },
      })),
    'stat',
  ),
]

/** Every metric of a crawl, in the order of the text. Each has the label `crawl`. No label has URLs, and hosts are a top-N. */
export const CRAWL_METRICS: readonly CrawlMetric[] = [
  ...STATE_METRICS,
  ...TOTALS,
  ...QUEUE_METRICS,
  ...HOST_METRICS,
  ...PROCESS_METRICS,
  ...FLEET_METRICS,
]

/** Counts of a Prometheus histogram include those of the smaller buckets. */
function bucketsOf({ boundsMs, counts, sumMs }: LiveHistogram): Sample[] {
  // A fleet has no response times: a histogram must have at least one bucket.
  if (counts.length === 0) return []
  let count = 0
  const buckets = counts.map((inBucket, i) => {
    count += inBucket
    const le = formatValue(inSeconds(boundsMs[i] ?? Number.POSITIVE_INFINITY))
    return { suffix: '_bucket', labels: { le }, value: count }
  })
  return [...buckets, { suffix: '_sum', value: inSeconds(sumMs) }, { suffix: '_count', value: count }]
}
