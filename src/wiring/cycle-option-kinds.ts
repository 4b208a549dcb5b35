import type { OptionKind } from './check-options.ts'

type Kinds = Readonly<Record<string, OptionKind>>

const list = {
  topN: 'positive',
  maxCount: 'positive',
  countMode: 'text',
  minScore: 'number',
  restrictStatus: 'texts',
  expr: 'text',
} as const satisfies Kinds

const fetching = {
  retries: 'count',
  maxMinutes: 'number',
  minPagesPerSecond: 'number',
  parseThreads: 'count',
  signal: 'any',
  onProgress: 'function',
} as const satisfies Kinds

/** The options of each method of `Crawl`. */
export const CYCLE_OPTION_KINDS = {
  openCrawl: {
    ...{ dir: 'text', config: 'text', readOnly: 'flag', create: 'flag', force: 'flag' },
    ...{ command: 'text', onMessage: 'function' },
  },
  inject: { existing: 'text', filter: 'flag', normalize: 'flag' },
  generate: {
    ...list,
    ...{ numFetchers: 'positive', addDays: 'count', maxNumSegments: 'positive', partition: 'text' },
    ...{ filter: 'flag', normalize: 'flag' },
  },
  fetch: { ...fetching, segment: 'text', parse: 'flag', onStart: 'function' },
  fetchWithFleet: { ...fetching, segment: 'text', redis: 'any', work: 'flag', parse: 'flag' },
  parse: { segment: 'text', parseThreads: 'count', signal: 'any' },
  update: {
    ...{ segments: 'texts', filter: 'flag', normalize: 'flag', additions: 'flag', purgeGone: 'flag' },
    ...{ purgeOrphans: 'flag', abandon: 'flag', again: 'flag' },
  },
  invertLinks: { segments: 'texts', internal: 'flag', ignoreExternal: 'flag' },
  dedup: { group: 'text', order: 'texts' },
  index: { to: 'texts', segments: 'texts', all: 'flag', deleteGone: 'flag', signal: 'any' },
  clean: { to: 'texts', remove: 'function', status: 'texts', signal: 'any' },
  mergeSegments: {
    ...{ segments: 'texts', filter: 'flag', normalize: 'flag', slice: 'positive' },
    ...{ delete: 'flag', again: 'flag' },
  },
  run: {
    ...{ ...fetching, ...list, rounds: 'positive', maxPages: 'positive', index: 'any', onRound: 'function' },
  },
  pages: { host: 'text', segments: 'texts', body: 'flag' },
  records: { status: 'texts', host: 'text' },
  search: {
    ...{ query: 'any', limit: 'positive', offset: 'count', site: 'text', type: 'text', lang: 'text' },
  },
  export: { format: 'text', out: 'text', segments: 'texts' },
} as const satisfies Readonly<Record<string, Kinds>>
