import { expect, it } from 'vitest'
import { completeConfig } from '../adapters/config/complete-config.ts'
import { openWithEngine } from './crawl-engine.ts'

it.each([
  [{ schedule: 'freshness' } as const, /schedule: 'freshness' needs the DuckDB engine/],
  [{ links: { sitemaps: true } }, /links\.sitemaps \(--sitemaps\) needs the DuckDB engine/],
])('refuses on Spark what only DuckDB has: %j', async (config, message) => {
  const settings = completeConfig({ ...config, engine: { kind: 'spark' } }, 'test')
  const opened = openWithEngine('/nowhere', { source: {} as never, settings, command: 'test' }, true)
  await expect(opened).rejects.toThrow(message)
})
