import { Hono } from 'hono'
import { METRICS_CONTENT_TYPE } from '../adapters/metrics/metric-family.ts'
import { ProcessMetrics } from '../adapters/metrics/process-metrics.ts'
import { type CrawlTarget, scrapeCrawls } from '../adapters/metrics/scrape-crawls.ts'

export interface MetricsRoute {
  readonly routes: Hono
  close(): void
}

/** `/metrics` of a server for these crawls. */
export function metricsRoute(crawls: readonly CrawlTarget[]): MetricsRoute {
  const processMetrics = new ProcessMetrics()
  const routes = new Hono()
  routes.get('/metrics', async (context) =>
    context.body(await scrapeCrawls(crawls, processMetrics.families()), 200, {
      'content-type': METRICS_CONTENT_TYPE,
      'cache-control': 'no-store',
    }),
  )
  return { routes, close: () => processMetrics.close() }
}
