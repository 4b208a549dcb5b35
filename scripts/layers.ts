import type { LayerTable } from './layer-problems.ts'

// Each domain folder may use the ones before it, which keeps them free of cycles by construction.
const DOMAIN = [
  ...['parquet', 'url', 'fetch', 'robots', 'html', 'page', 'politeness'],
  ...['schedule', 'score', 'crawldb', 'segment', 'parse', 'index', 'frontier', 'select', 'scrapy'],
]
// Siblings: a flow takes ports, an adapter implements them, and neither sees the other.
const FLOWS = ['cycle', 'spider']
const ADAPTERS = ['http', 'duckdb', 'redis', 'sqlite', 'index-writers', 'warc', 'config', 'feeds']
const EVERYTHING = ['base', ...DOMAIN, ...FLOWS, ...ADAPTERS, 'workers', 'demo', 'serve']

/** The layer picture of docs/architecture.md, as data. */
export const LAYERS: LayerTable = {
  base: [],
  ...Object.fromEntries(DOMAIN.map((folder, i) => [folder, ['base', ...DOMAIN.slice(0, i)]])),
  ...Object.fromEntries([...FLOWS, ...ADAPTERS].map((folder) => [folder, ['base', ...DOMAIN]])),
  // A thread builds its rules itself, from the same configuration as the main one.
  workers: ['base', ...DOMAIN, 'config'],
  demo: ['base'],
  // Shows a crawl in a browser; what it shows comes in as functions.
  serve: ['base', ...DOMAIN],
  // Wires spiders to stores and the web, for the command line and for programs alike.
  runner: EVERYTHING,
  cli: [...EVERYTHING, 'runner'],
  // The files directly in src/: the public doors, lists of names and nothing else.
  '.': [...EVERYTHING, 'runner'],
}
