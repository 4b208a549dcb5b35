import { expect, it } from 'vitest'
import { completeConfig } from '../adapters/config/complete-config.ts'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { openWithEngine } from './crawl-engine.ts'

it.each<[OrbweaverConfig, RegExp]>([
  [{ schedule: 'freshness' }, /schedule: 'freshness' needs the DuckDB engine/],
  [{ links: { inheritMetadata: ['topic'] } }, /links\.inheritMetadata needs the DuckDB engine/],
  [{ novelty: true }, /novelty needs the DuckDB engine/],
  [{ hostDb: { maxCountExpr: '10' } }, /hostDb\.maxCountExpr needs the DuckDB engine/],
  [{ hostDb: { delayExpr: '10' } }, /hostDb\.delayExpr needs the DuckDB engine/],
  [{ links: { sitemaps: true } }, /links\.sitemaps \(--sitemaps\) needs the DuckDB engine/],
])('refuses on Spark what only DuckDB has: %j', async (config, message) => {
  const settings = completeConfig({ ...config, engine: { kind: 'spark' } }, 'test')
  const opened = openWithEngine('/nowhere', { source: {} as never, settings, command: 'test' }, true)
  await expect(opened).rejects.toThrow(message)
})

it.each(['freegen', 'mergedb', 'mergelinkdb', 'updatehostdb', 'webgraph', 'linkrank', 'novelty'])(
  'rejects %s on Spark before Spark starts',
  async (command) => {
    const settings = completeConfig({ engine: { kind: 'spark', spark: { submit: '/nowhere' } } }, 'test')
    const opened = openWithEngine('/nowhere', { source: {} as never, settings, command }, true)
    await expect(opened).rejects.toThrow(`${command} needs the DuckDB engine: convert the crawl`)
  },
)
