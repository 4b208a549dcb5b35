import { configMistakes } from '../adapters/config/complete-config.ts'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { nearestName } from '../adapters/config/nearest-name.ts'
import type { FeedTarget } from '../adapters/feeds/feed-target.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { JsonObject } from '../base/json.ts'
import { headerFault } from '../domain/fetch/headers.ts'
import { RENDER_MODES } from '../domain/fetch/page-renderer.ts'
import type { SessionsOptions } from '../flows/spider/session-options.ts'
import type { SpiderDefinition, SpiderLimits } from '../flows/spider/spider-definition.ts'
import type { MetaSchemas, NoMetas } from '../flows/spider/standard-schema.ts'
import { fileProblems } from './file-problems.ts'

/** A spider with its settings and exports: the argument of `runSpider`, and the default export of a file for `orbweaver run`. */
export interface Spider<
  Input = JsonObject,
  Output = Input,
  Names extends string = never,
  Metas extends MetaSchemas = NoMetas,
> extends SpiderDefinition<Input, Output, Names, Metas> {
  /** Keys of orbweaver.config.ts. They replace those of the file; flags and environment replace both. */
  readonly settings?: OrbweaverConfig
  /** Feed exports, in addition to `--out`. @default none */
  readonly out?: FeedTarget | readonly FeedTarget[]
}

/**
 * Defines a spider. The schema sets the type of its items, and the compiler checks the names of its handlers.
 * @example
 * ```ts
 * export default spider({
 *   name: 'quotes',
 *   start: ['https://quotes.example/'],
 *   item: z.object({ text: z.string().min(1), author: z.string() }),
 *   *parse(page) {
 *     for (const quote of page.css('.quote')) yield page.item({ text: quote.text('.text'), author: quote.text('.author') })
 *     yield* page.followAll('.next a')
 *   },
 * })
 * ```
 * @throws ConfigurationError for an invalid definition
 */
export function spider<
  Input = JsonObject,
  Output = Input,
  const Names extends string = never,
  Metas extends MetaSchemas = NoMetas,
>(definition: Spider<Input, Output, Names, Metas>): Spider<Input, Output, Names, Metas> {
  checkSpider(definition)
  return Object.freeze({ ...definition })
}

/** Every key of a spider, and what it must be. */
const KEYS: Readonly<Record<string, 'function' | 'object' | 'text' | 'list' | 'boolean' | 'anything'>> = {
  name: 'text',
  start: 'anything',
  sitemap: 'object',
  allow: 'anything',
  item: 'anything',
  parse: 'function',
  handlers: 'object',
  meta: 'object',
  rules: 'list',
  pipelines: 'list',
  hooks: 'list',
  onError: 'function',
  onIdle: 'function',
  onItem: 'function',
  onClose: 'function',
  limits: 'object',
  isolated: 'boolean',
  handlerThreads: 'anything',
  order: 'text',
  handleStatuses: 'anything',
  retry: 'object',
  files: 'anything',
  sessions: 'object',
  render: 'anything',
  settings: 'object',
  out: 'anything',
}
const LIMITS = [
  ...(['depth', 'maxPages', 'maxPagesPerHost', 'maxItems', 'maxTimeSeconds'] as const),
  ...(['handlerSeconds', 'handlerMemoryMb', 'maxHandlerErrorsInRow'] as const),
] satisfies ReadonlyArray<keyof SpiderLimits>

/**
 * Checks a definition at run time: a spider may be plain JavaScript.
 * @throws ConfigurationError that names all problems and says what to do
 */
export function checkSpider(definition: object): void {
  const spider = definition as Readonly<Record<string, unknown>>
  const { name } = spider
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,100}$/.test(name))
    throw new ConfigurationError(
      'SPIDER_INVALID',
      `a spider needs a name of letters, digits, "-" and "_"; found ${JSON.stringify(name)}`,
    )
  const problems = [...problemsOf(spider)]
  if (problems.length > 0)
    throw new ConfigurationError(
      'SPIDER_INVALID',
      problems.map((problem) => `spider ${name}: ${problem}`).join('\n'),
    )
}

function* problemsOf(definition: Readonly<Record<string, unknown>>): Generator<string> {
  /** The keys with a value of the right kind. */
  const spider: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(definition)) {
    const kind = KEYS[key]
    if (value === undefined) continue
    if (kind === undefined) yield unknownKey(key, Object.keys(KEYS))
    else if (fits(value, kind)) spider[key] = value
    else yield `${key} must be ${kind === 'object' ? 'an object' : `a ${kind}`}`
  }
  const isMissing = (...keys: readonly string[]) => keys.every((key) => definition[key] === undefined)
  if (isMissing('start', 'sitemap'))
    yield 'give start (URLs, or a function that yields them) or sitemap: it has nowhere to begin'
  if (isMissing('parse', 'handlers', 'rules'))
    yield 'give parse, handlers or rules: it has no handler for its pages'
  const handlers = Object.entries((spider['handlers'] ?? {}) as object)
  for (const [handler, value] of handlers) {
    if (handler === 'parse') yield 'define parse next to handlers, not inside it'
    else if (handler.startsWith('$')) yield `handler ${handler}: names that begin with $ are reserved`
    else if (typeof value !== 'function') yield `handler ${handler} must be a function`
  }
  const { allow, settings } = spider
  if (allow !== undefined && !(allow === '*' || (Array.isArray(allow) && allow.every(isHostPattern))))
    yield `allow is ${JSON.stringify(allow)}; give a list of host names such as ['example.org'], or '*' for any host`
  for (const [limit, value] of Object.entries((spider['limits'] ?? {}) as object)) {
    if (!LIMITS.some((known) => known === limit)) yield `limits.${unknownKey(limit, LIMITS)}`
    else if (!isLimit(value)) yield `limits.${limit} is ${JSON.stringify(value)}; give a number of at least 0`
  }
  const { handlerThreads, isolated } = spider
  if (handlerThreads !== undefined && !isThreadCount(handlerThreads))
    yield `handlerThreads is ${JSON.stringify(handlerThreads)}; give a whole number of at least 1`
  else if (handlerThreads !== undefined && isolated === false)
    yield 'handlerThreads needs threads, and isolated: false rules them out; remove one of the two'
  yield* fileProblems(spider['files'])
  const known = ['parse', ...handlers.map(([handler]) => handler)]
  yield* renderProblems(spider['render'], known)
  yield* nameProblems(spider, known)
  yield* sessionProblems((spider['sessions'] ?? {}) as Readonly<Record<string, unknown>>)
  if (settings !== undefined) for (const mistake of configMistakes(settings)) yield `settings: ${mistake}`
}

/**
 * The limits among the options of a run.
 * @throws ConfigurationError for one that is not a number of at least 0
 */
export function limitsAmong(options: SpiderLimits): SpiderLimits {
  const given: { -readonly [Name in keyof SpiderLimits]: SpiderLimits[Name] } = {}
  for (const name of LIMITS) {
    const value = options[name]
    if (value === undefined) continue
    if (!isLimit(value))
      throw new ConfigurationError(
        'OPTION_INVALID',
        `${name} is ${JSON.stringify(value)}; give a number of at least 0`,
      )
    given[name] = value
  }
  return given
}

export function isThreadCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

function isLimit(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

/** A host name or address, without scheme, port and path; `*` for any. */
function isHostPattern(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !/[\s/?#@]|^.*:\d+$/.test(value)
}

function* renderProblems(render: unknown, known: readonly string[]): Generator<string> {
  const isMode = (value: unknown) => RENDER_MODES.some((mode) => mode === value)
  if (render === undefined || isMode(render)) return
  if (typeof render !== 'object' || render === null) {
    yield `render is ${JSON.stringify(render)}; give never, auto or always, or one of them by handler: { parse: 'auto' }`
    return
  }
  for (const [handler, mode] of Object.entries(render)) {
    if (!known.includes(handler)) yield `render names the handler ${unknownKey(handler, known)}`
    else if (!isMode(mode)) yield `render.${handler} is ${JSON.stringify(mode)}; give never, auto or always`
  }
}

function* nameProblems(
  spider: Readonly<Record<string, unknown>>,
  known: readonly string[],
): Generator<string> {
  const sitemap = spider['sitemap'] as { rules?: unknown } | undefined
  for (const [key, rules] of [
    ['rules', spider['rules']],
    ['sitemap.rules', sitemap?.rules],
  ] as const) {
    for (const rule of Array.isArray(rules) ? (rules as unknown[]) : []) {
      if (typeof rule !== 'object' || rule === null) {
        yield `${key} has ${JSON.stringify(rule)}; give a rule such as { links: { allow: /\\/articles\\// }, handler: 'article' }`
        continue
      }
      const { handler } = rule as { handler?: unknown }
      if (handler !== undefined && !known.includes(String(handler)))
        yield `a rule names the handler ${unknownKey(String(handler), known)}`
    }
  }
  for (const [handler, schema] of Object.entries((spider['meta'] ?? {}) as object)) {
    if (!known.includes(handler)) yield `meta names the handler ${unknownKey(handler, known)}`
    else if (typeof schema !== 'object' || schema === null || !('~standard' in schema))
      yield `meta.${handler} must be a schema, as z.object({ … })`
  }
  const { order } = spider
  if (order !== undefined && !['hosts', 'fifo', 'lifo', 'priority'].includes(String(order)))
    yield `order is ${JSON.stringify(order)}; give hosts, fifo, lifo or priority`
}

/** The keys of `sessions`, and what each must be. */
const SESSION_KEYS: Readonly<
  Record<keyof SessionsOptions, readonly [expected: string, isGood: (value: unknown) => boolean]>
> = {
  max: ['a whole number from 1 to 10,000', (value) => isWhole(value) && value >= 1 && value <= 10_000],
  login: ['a function', isFunction],
  expired: ['a function', isFunction],
  blocked: ['a function', isFunction],
  rotate: ["'block' or 'request'", (value) => value === 'block' || value === 'request'],
  maxErrorScore: ['a number above 0', (value) => typeof value === 'number' && value > 0],
  maxRequests: ['a whole number of at least 1', (value) => isWhole(value) && value >= 1],
  headers: ['header names with their values', areHeaders],
}

function* sessionProblems(sessions: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [key, value] of Object.entries(sessions)) {
    if (value === undefined) continue
    const rule = Object.hasOwn(SESSION_KEYS, key) ? SESSION_KEYS[key as keyof SessionsOptions] : undefined
    if (rule === undefined) yield `sessions.${unknownKey(key, Object.keys(SESSION_KEYS))}`
    else if (!rule[1](value)) yield `sessions.${key} must be ${rule[0]}`
  }
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function areHeaders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(
    ([name, text]) => typeof text === 'string' && headerFault(name.toLowerCase(), text) === undefined,
  )
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearestName(key, known)
  return `${key}: unknown name${near === undefined ? '' : `; did you mean ${near}?`}`
}

function fits(value: unknown, kind: string): boolean {
  if (kind === 'anything') return true
  if (kind === 'text') return typeof value === 'string'
  if (kind === 'list') return Array.isArray(value)
  return typeof value === kind && value !== null
}
