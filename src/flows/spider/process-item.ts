import type { JsonObject } from '../../base/json.ts'
import type { RejectedItem } from '../../domain/frontier/settlement.ts'
import { checkFileFields, type ItemWithFiles, sortOutputs, type WantedFile } from './files-of-items.ts'
import type { Page } from './handler-page.ts'
import { Drop } from './hooks.ts'
import type { RequestOutput } from './output.ts'
import type { HandlerOutputs } from './run-handler.ts'
import type { CallResult } from './spider-calls.ts'
import type { AnySpider, ItemSource, Pipeline } from './spider-definition.ts'
import { describeIssues, type StandardSchema } from './standard-schema.ts'
import { isPromise } from './time-limit.ts'

/** What became of an item. */
export type ProcessedItem =
  | { readonly kind: 'kept'; readonly item: JsonObject }
  /** Its schema refuses it. */
  | { readonly kind: 'rejected'; readonly item: JsonObject; readonly reason: string }
  /** A pipeline did not want it. */
  | { readonly kind: 'dropped'; readonly reason: string }

/**
 * Takes an item through its schema, then the pipelines in their order. At once, unless one of them returns a promise.
 * @throws what the schema or a pipeline throws
 */
export function processItem(
  given: unknown,
  source: ItemSource,
  schema: StandardSchema<unknown, unknown> | undefined,
  pipelines: readonly Pipeline<unknown>[],
): ProcessedItem | Promise<ProcessedItem> {
  if (schema === undefined) return pass(given, source, pipelines, 0)
  return after(schema['~standard'].validate(given), (verdict) =>
    verdict.issues === undefined
      ? pass(verdict.value, source, pipelines, 0)
      : { kind: 'rejected', item: asData(given), reason: describeIssues(verdict.issues) },
  )
}

function pass(
  item: unknown,
  source: ItemSource,
  pipelines: readonly Pipeline<unknown>[],
  index: number,
): ProcessedItem | Promise<ProcessedItem> {
  const pipeline = pipelines[index]
  if (pipeline === undefined) return finished(item)
  return after(pipeline.process(item, source), (next) =>
    next instanceof Drop
      ? { kind: 'dropped', reason: next.reason }
      : pass(next, source, pipelines, index + 1),
  )
}

function after<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}

function finished(item: unknown): ProcessedItem {
  return typeof item === 'object' && item !== null && !Array.isArray(item)
    ? { kind: 'kept', item: asData(item) }
    : { kind: 'rejected', item: asData(item), reason: 'an item must be an object' }
}

/** As JSON has it: dates become text, what JSON cannot hold is left out. */
function asData(value: unknown): JsonObject {
  const data: unknown = JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'null',
  )
  return typeof data === 'object' && data !== null && !Array.isArray(data)
    ? (data as JsonObject)
    : { value: data as JsonObject[string] }
}

/**
 * What a handler returned, sorted. Its items go through schema and pipelines one after the other: at once, up to the first one that returns a
 * promise. The caller waits for that and lets the rest proceed.
 */
export class ProcessedOutputs implements CallResult {
  readonly requests: readonly RequestOutput[]
  readonly repeats = 0
  readonly items: JsonObject[] = []
  readonly itemsWithFiles: ItemWithFiles[] = []
  unwantedFiles = 0
  readonly rejected: RejectedItem[] = []
  readonly dropped: string[] = []
  readonly linksOverLimit: number
  readonly invalidEntries: number
  readonly #spider: AnySpider
  readonly #source: ItemSource
  readonly #given: ReadonlyArray<{ readonly item: unknown; readonly files: readonly WantedFile[] }>
  #next = 0
  #waiting: Promise<ProcessedItem> | undefined

  /** @throws what the schema or a pipeline throws */
  constructor(spider: AnySpider, outputs: HandlerOutputs, page?: Page, invalidEntries = 0) {
    this.#spider = spider
    this.linksOverLimit = page?.linksOverLimit ?? 0
    this.invalidEntries = invalidEntries
    this.#source = { url: page?.url ?? '', depth: page?.depth ?? 0 }
    const { requests, items } = sortOutputs(outputs, spider.item !== undefined, this.#source.url)
    this.requests = requests
    this.#given = items
    this.#processRest()
  }

  /** The item that is waited for; `undefined`: all are processed. */
  get waiting(): Promise<ProcessedItem> | undefined {
    return this.#waiting
  }

  /** Goes on after the item that was waited for. @throws what the schema or a pipeline throws */
  proceed(processed: ProcessedItem): void {
    this.#waiting = undefined
    this.#add(processed)
    this.#processRest()
  }

  #processRest(): void {
    const { item: schema, pipelines = [] } = this.#spider
    while (this.#next < this.#given.length) {
      const result = processItem(this.#given[this.#next++]?.item, this.#source, schema, pipelines)
      if (result instanceof Promise) {
        this.#waiting = result
        return
      }
      this.#add(result)
    }
  }

  #add(processed: ProcessedItem): void {
    const { files = [] } = this.#given[this.#next - 1] ?? {}
    if (processed.kind !== 'kept') this.unwantedFiles += files.length
    if (processed.kind === 'kept') this.#keep(processed.item, files)
    else if (processed.kind === 'dropped') this.dropped.push(processed.reason)
    else this.rejected.push({ item: processed.item, reason: processed.reason })
  }

  #keep(item: JsonObject, files: readonly WantedFile[]): void {
    checkFileFields(item, files)
    if (files.length === 0) this.items.push(item)
    else this.itemsWithFiles.push({ item, files })
  }
}
