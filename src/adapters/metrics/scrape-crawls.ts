import type { LiveCrawl } from '../../domain/live/live-crawl.ts'
import type { HostQuery } from '../../domain/live/live-report.ts'
import type { ScrapedCrawl } from './crawl-metric.ts'
import { CRAWL_METRICS } from './crawl-metrics.ts'
import { formatMetrics, type MetricFamily, type Sample } from './metric-family.ts'

/** A crawl to scrape. */
export interface CrawlTarget {
  /** Value of the label `crawl`. */
  readonly name: string
  /** Finds the crawl while it runs. `undefined`: it is not running. */
  readonly live: { find(): Promise<LiveCrawl | undefined> }
}

/** Hosts with metrics of their own, per crawl and list. */
const TOP_HOSTS = 20

const TOP = { descending: true, offset: 0, limit: TOP_HOSTS } as const
const LONGEST_QUEUES: HostQuery = { sort: 'queued', ...TOP }
// The end of the parking is the next allowed time.
const LATEST: HostQuery = { sort: 'nextAllowedAt', ...TOP }

/**
 * The response to one scrape: `processFamilies`, then the metrics of all crawls. A crawl that is not running or cannot be reached has
 * `orbweaver_up` 0 and no other metrics.
 */
export async function scrapeCrawls(
  targets: readonly CrawlTarget[],
  processFamilies: readonly MetricFamily[],
): Promise<string> {
  const scraped = await Promise.all(
    targets.map(async ({ name, live }) => ({ name, crawl: await scrape(live) })),
  )
  const up = scraped.map(({ name, crawl }) => ({
    value: crawl === undefined ? 0 : 1,
    labels: { crawl: name },
  }))
  return formatMetrics([
    ...processFamilies,
    { ...UP, samples: up },
    ...CRAWL_METRICS.map((metric) => ({
      ...metric,
      samples: scraped.flatMap(({ name, crawl }) =>
        crawl === undefined ? [] : metric.samples(crawl).map((sample) => ofCrawl(name, sample)),
      ),
    })),
  ])
}

/** The only metric of a crawl that is not running. */
export const UP = {
  name: 'orbweaver_up',
  type: 'gauge',
  help: 'Whether the crawl is running and reports its figures: 1 or 0.',
} as const

async function scrape(lookup: CrawlTarget['live']): Promise<ScrapedCrawl | undefined> {
  try {
    const live = await lookup.find()
    if (live === undefined) return undefined
    const [report, queues, latest] = await Promise.all([
      live.report(),
      live.hosts(LONGEST_QUEUES),
      live.hosts(LATEST),
    ])
    const { at } = report
    return {
      ...report,
      longestQueues: queues.hosts.filter(({ queued }) => queued > 0).slice(0, TOP_HOSTS),
      parkedLongest: latest.hosts.filter(({ parkedUntil = 0 }) => parkedUntil > at).slice(0, TOP_HOSTS),
    }
  } catch {
    return undefined
  }
}

function ofCrawl(crawl: string, sample: Sample): Sample {
  return { ...sample, labels: { crawl, ...sample.labels } }
}
