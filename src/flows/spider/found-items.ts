import type { JsonObject } from '../../base/json.ts'
import type { RejectedItem } from '../../domain/frontier/settlement.ts'
import type { Page } from './handler-page.ts'
import { ItemOutput, type RequestOutput } from './output.ts'
import type { ItemSource } from './pipeline.ts'
import { type ProcessedItem, processItem } from './process-item.ts'
import type { HandlerOutputs } from './run-handler.ts'
import type { CallResult } from './spider-calls.ts'
import type { AnySpider } from './spider-definition.ts'

/**
 * What a handler returned, sorted. Its items go through schema and pipelines one after the other: at once, up to the first one that returns a
 * promise. The caller waits for that and lets the rest proceed.
 */
export class FoundItems implements CallResult {
  readonly requests: RequestOutput[] = []
  readonly items: JsonObject[] = []
  readonly rejected: RejectedItem[] = []
  readonly dropped: string[] = []
  readonly linksOverLimit: number
  readonly invalidEntries: number
  readonly #spider: AnySpider
  readonly #source: ItemSource
  readonly #given: unknown[] = []
  #next = 0
  #waiting: Promise<ProcessedItem> | undefined

  /** @throws what the schema or a pipeline throws */
  constructor(spider: AnySpider, outputs: HandlerOutputs, page?: Page, invalidEntries = 0) {
    this.#spider = spider
    this.linksOverLimit = page?.linksOverLimit ?? 0
    this.invalidEntries = invalidEntries
    this.#source = { url: page?.url ?? '', depth: page?.depth ?? 0 }
    for (const output of outputs) {
      if (output instanceof ItemOutput) this.#given.push(output.item)
      else this.requests.push(output)
    }
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
      const result = processItem(this.#given[this.#next++], this.#source, schema, pipelines)
      if (result instanceof Promise) {
        this.#waiting = result
        return
      }
      this.#add(result)
    }
  }

  #add(processed: ProcessedItem): void {
    if (processed.kind === 'kept') this.items.push(processed.item)
    else if (processed.kind === 'dropped') this.dropped.push(processed.reason)
    else this.rejected.push({ item: processed.item, reason: processed.reason })
  }
}
