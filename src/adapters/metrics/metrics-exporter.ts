import type { LiveCrawl } from '../../domain/live/live-crawl.ts'
import { listenForScrapes, type MetricsServer } from './metrics-server.ts'
import { ProcessMetrics } from './process-metrics.ts'
import { scrapeCrawls } from './scrape-crawls.ts'

/** Serves the metrics of the crawl of this process. It is a watcher of the run. */
export class MetricsExporter {
  readonly #processMetrics = new ProcessMetrics()
  #server: MetricsServer | undefined
  #live: LiveCrawl | undefined
  #name = ''

  /**
   * Listens before the crawl starts.
   * @param address `port` or `host:port`
   * @throws ConfigurationError if the server cannot listen on the address
   */
  static async listen(address: string): Promise<MetricsExporter> {
    const exporter = new MetricsExporter()
    try {
      exporter.#server = await listenForScrapes(address, () => exporter.#scrape())
    } catch (error) {
      exporter.#processMetrics.close()
      throw error
    }
    return exporter
  }

  /** Where Prometheus scrapes. */
  get url(): string {
    return this.#server?.url ?? ''
  }

  async started(live: LiveCrawl): Promise<void> {
    this.#name = (await live.report()).name
    this.#live = live
  }

  async ended(): Promise<void> {
    this.#processMetrics.close()
    await this.#server?.close()
  }

  #scrape(): Promise<string> {
    const live = this.#live
    const target = { name: this.#name, live: { find: async () => live } }
    return scrapeCrawls(live === undefined ? [] : [target], this.#processMetrics.families())
  }
}
