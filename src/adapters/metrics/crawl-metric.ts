import type { LiveHost, LiveReport } from '../../domain/live/live-report.ts'
import type { MetricDescription, MetricType, Sample } from './metric-family.ts'

/** A crawl at the time of a scrape. */
export interface ScrapedCrawl extends LiveReport {
  /** The hosts with the longest queues. */
  readonly longestQueues: readonly LiveHost[]
  /** The hosts that are parked longest. */
  readonly parkedLongest: readonly LiveHost[]
}

export interface CrawlMetric extends MetricDescription {
  /** Labels in addition to `crawl`. */
  readonly labels: readonly string[]
  /** No samples: the crawl does not have this figure. */
  samples(crawl: ScrapedCrawl): readonly Sample[]
}

/** One sample without labels, several with labels, or none. */
type ReadFigure = (crawl: ScrapedCrawl) => number | readonly Sample[] | undefined

export function counter(name: string, help: string, read: ReadFigure, ...labels: string[]): CrawlMetric {
  return crawlMetric('counter', name, help, read, labels)
}

export function gauge(name: string, help: string, read: ReadFigure, ...labels: string[]): CrawlMetric {
  return crawlMetric('gauge', name, help, read, labels)
}

export function histogram(name: string, help: string, read: ReadFigure): CrawlMetric {
  return crawlMetric('histogram', name, help, read, ['le'])
}

function crawlMetric(
  type: MetricType,
  name: string,
  help: string,
  read: ReadFigure,
  labels: readonly string[],
): CrawlMetric {
  return {
    ...{ name, type, help, labels },
    samples: (crawl) => {
      const figure = read(crawl) ?? []
      return typeof figure === 'number' ? [{ value: figure }] : figure
    },
  }
}

export function inSeconds(ms: number): number {
  return ms / 1000
}
