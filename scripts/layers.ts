import type { LayerTable } from './layer-problems.ts'

// Each domain folder may use the ones before it, which keeps them free of cycles by construction.
const DOMAIN = [
  ...['url', 'fetch', 'robots', 'html', 'content', 'files', 'politeness', 'schedule', 'scoring', 'novelty'],
  ...[
    'object-store',
    'crawldb',
    'segment',
    'parse',
    'indexing',
    'search',
    'frontier',
    'selectors',
    'extraction',
    'live',
    'certificate',
  ],
].map((folder) => `domain/${folder}`)

/** The layer picture of docs/architecture.md: folder → the folders and layers it may import from. */
export const LAYERS: LayerTable = {
  base: [],
  ...Object.fromEntries(DOMAIN.map((folder, i) => [folder, ['base', ...DOMAIN.slice(0, i)]])),
  // A flow takes ports, an adapter implements them, and neither sees the other.
  flows: ['base', 'domain'],
  adapters: ['base', 'domain'],
  'adapters/duckdb': ['base', 'domain', 'adapters/crawl-directory'],
  // FTP has the same rules for addresses as HTTP.
  'adapters/protocols': ['base', 'domain', 'adapters/http'],
  // A thread builds its rules from the same configuration as the main one, and packs the rows of segments.
  'adapters/parse-threads': ['base', 'domain', 'adapters/config', 'adapters/crawl-directory'],
  // DuckDB reads and writes the files of segments for every engine; executors build their rules as threads do.
  'adapters/spark': ['base', 'domain', 'adapters/config', 'adapters/crawl-directory', 'adapters/duckdb'],
  'adapters/redis': ['base', 'domain', 'adapters/scrapy'],
  demo: ['base'],
  wiring: ['base', 'domain', 'flows', 'adapters'],
  cli: ['base', 'domain', 'flows', 'adapters', 'wiring', 'demo'],
  // The files directly in src/: the public doors, lists of names and nothing else.
  '.': ['base', 'domain', 'flows', 'adapters', 'wiring'],
}
