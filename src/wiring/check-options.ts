import { ConfigurationError } from '../base/crawl-error.ts'

/**
 * The kinds of option values: `count` is an integer of at least 0, `positive` one of at least 1, `number` is finite; `any` is not checked here.
 */
type OptionKind = 'any' | 'text' | 'texts' | 'flag' | 'count' | 'positive' | 'number' | 'function'

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
  maxTimeSeconds: 'number',
  minPagesPerSecond: 'number',
  parseThreads: 'count',
  signal: 'any',
  onProgress: 'function',
  watchers: 'any',
} as const satisfies Kinds

/** The options of `openCrawl` and of each method of `Crawl`. */
const OPTIONS = {
  openCrawl: {
    ...{ dir: 'text', config: 'text', readOnly: 'flag', create: 'flag', force: 'flag' },
    ...{ command: 'text', onMessage: 'function', onEvent: 'function', openLog: 'function' },
    rememberedSettings: 'flag',
  },
  inject: { existing: 'text', filter: 'flag', normalize: 'flag', signal: 'any' },
  generate: {
    ...list,
    ...{ numFetchers: 'positive', addDays: 'count', maxNumSegments: 'positive', partition: 'text' },
    ...{ filter: 'flag', normalize: 'flag', signal: 'any' },
  },
  freegen: { numFetchers: 'positive', partition: 'text', filter: 'flag', normalize: 'flag', signal: 'any' },
  fetch: { ...fetching, segment: 'text', parse: 'flag', onStart: 'function' },
  fetchWithFleet: { ...fetching, segment: 'text', redis: 'any', work: 'flag', parse: 'flag' },
  parse: { segment: 'text', parseThreads: 'count', signal: 'any' },
  update: {
    ...{ segments: 'texts', filter: 'flag', normalize: 'flag', additions: 'flag', purgeGone: 'flag' },
    ...{ purgeOrphans: 'flag', abandon: 'flag', again: 'flag', signal: 'any' },
  },
  invertLinks: { segments: 'texts', internal: 'flag', ignoreExternal: 'flag', signal: 'any' },
  buildGraph: {
    ...{ segments: 'texts', ignoreInternal: 'text', duplicates: 'flag' },
    ...{ maxPerPage: 'positive', maxPerDomain: 'positive', signal: 'any' },
  },
  rankLinks: {
    ...{ by: 'text', damping: 'number', iterations: 'positive', tolerance: 'number' },
    ...{ updateScores: 'flag', clearScore: 'number', signal: 'any', onIteration: 'function' },
  },
  updateHosts: {
    ...{ rebuild: 'flag', check: 'text', checkThreads: 'positive', recheckDays: 'number' },
    ...{ purgeFailed: 'positive', restoreHost: 'text', signal: 'any' },
  },
  dedup: { group: 'text', order: 'texts', near: 'flag', mark: 'flag', signal: 'any' },
  index: { to: 'texts', segments: 'texts', all: 'flag', deleteGone: 'flag', signal: 'any' },
  clean: { to: 'texts', remove: 'function', status: 'texts', signal: 'any' },
  mergeDb: { filter: 'flag', normalize: 'flag', signal: 'any' },
  mergeLinkDb: { signal: 'any' },
  mergeSegments: {
    ...{ segments: 'texts', filter: 'flag', normalize: 'flag', slice: 'positive' },
    ...{ delete: 'flag', again: 'flag', signal: 'any' },
  },
  run: {
    ...{ ...fetching, ...list, rounds: 'positive', maxPages: 'positive', index: 'any' },
    ...{ indexEverySeconds: 'positive', onRound: 'function' },
  },
  pages: { host: 'text', segments: 'texts', body: 'flag' },
  records: { status: 'texts', host: 'text' },
  search: {
    ...{ query: 'any', limit: 'positive', offset: 'count', site: 'text', type: 'text', lang: 'text' },
    sort: 'text',
  },
  export: {
    ...{ format: 'text', out: 'text', segments: 'texts', excludeRefused: 'texts', onExcluded: 'function' },
    nearDuplicates: 'flag',
    ...{ clean: 'flag', chunkSize: 'number', chunkOverlap: 'number', signal: 'any' },
  },
  certify: { host: 'text', from: 'number', to: 'number', maxHosts: 'count' },
} as const satisfies Readonly<Record<string, Kinds>>

export type CheckedMethod = keyof typeof OPTIONS

/**
 * Checks the options of a method, for programs in JavaScript. `undefined` counts as absent.
 * @throws ConfigurationError OPTION_INVALID, for an unknown option or a value of the wrong kind
 */
export function checkOptions(method: CheckedMethod, options: object): void {
  const kinds: Kinds = OPTIONS[method]
  const name = method === 'openCrawl' ? method : `crawl.${method}`
  for (const [option, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, option) ? kinds[option] : undefined
    if (kind === undefined)
      throw new ConfigurationError(
        'OPTION_INVALID',
        `${name} has no option ${JSON.stringify(option)}; its options are ${Object.keys(kinds).join(', ')}`,
      )
    const { isValid, text } = KINDS[kind]
    if (value !== undefined && !isValid(value))
      throw new ConfigurationError(
        'OPTION_INVALID',
        `${name}: ${option} must be ${text}, and is ${typeof value === 'number' ? value : JSON.stringify(value)}`,
      )
  }
}

const KINDS: Readonly<Record<OptionKind, { isValid(value: unknown): boolean; readonly text: string }>> = {
  any: { isValid: () => true, text: '' },
  text: { isValid: (value) => typeof value === 'string' && value !== '', text: 'a string that is not empty' },
  texts: {
    isValid: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
    text: 'an array of strings',
  },
  flag: { isValid: (value) => typeof value === 'boolean', text: 'true or false' },
  count: {
    isValid: (value) => Number.isInteger(value) && Number(value) >= 0,
    text: 'an integer of at least 0',
  },
  positive: {
    isValid: (value) => Number.isInteger(value) && Number(value) >= 1,
    text: 'an integer of at least 1',
  },
  number: { isValid: (value) => Number.isFinite(value), text: 'a number' },
  function: { isValid: (value) => typeof value === 'function', text: 'a function' },
}
