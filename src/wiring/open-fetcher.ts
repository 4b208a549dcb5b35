import type { Settings } from '../adapters/config/config-schema.ts'
import { enabledSchemes } from '../adapters/config/protocol-section.ts'
import { HttpFetcher, type HttpFetcherOptions } from '../adapters/http/http-fetcher.ts'
import { steadyClock } from '../base/clock.ts'
import type { Fetcher } from '../domain/fetch/fetcher.ts'

/** The fetcher of a crawl: HTTP, and the other protocols that the settings enable. */
export async function openFetcher(settings: Settings, options: HttpFetcherOptions): Promise<Fetcher> {
  const web = new HttpFetcher(options)
  if (enabledSchemes(settings.protocols).length === 0) return web
  // Loaded late: most crawls use HTTP alone.
  const { openProtocols } = await import('./open-protocols.ts')
  return openProtocols(settings, web, { ...options, clock: options.clock ?? steadyClock })
}
