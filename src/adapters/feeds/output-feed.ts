import type { Writable } from 'node:stream'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import type { Feed } from './feed.ts'
import type { OutputPlan } from './feed-target.ts'
import { TEXT_FORMATS, widened } from './text-format.ts'

/** Writes text to the reader of the items. Fulfilled when the reader accepts more. */
export type FeedOutput = (text: string) => Promise<void>

/** A stream, such as the standard output, as a `FeedOutput`. */
export function streamOutput(stream: Writable): FeedOutput {
  return (text) =>
    new Promise((resolve, reject) => {
      // The write call reports the error; an unhandled event would end the process.
      if (!guarded.has(stream)) stream.on('error', () => {})
      guarded.add(stream)
      stream.write(text, (error) => (error ? reject(error) : resolve()))
    })
}

/** Streams that have a listener for errors of ours: one is enough, however many crawls write to them. */
const guarded = new WeakSet<Writable>()

/**
 * Writes items that take effect in this run to the standard output. It cannot go back, so the columns of CSV are those of the first page, and
 * fields that turn up later are left out. It has no state: what one process wrote another does not write again.
 */
export class OutputFeed implements Feed {
  readonly state = undefined
  readonly #plan: OutputPlan
  readonly #output: FeedOutput
  readonly #onFieldsLeftOut: (fields: readonly string[]) => void
  #columns: readonly string[] | undefined
  /** The columns, and the fields that were left out. */
  #known: readonly string[]
  #position: number
  #items = 0
  #ended = false

  /** @param position the end of the log at the start of this run */
  constructor(
    plan: OutputPlan,
    position: number,
    output: FeedOutput,
    schemaFields: readonly string[],
    onFieldsLeftOut: (fields: readonly string[]) => void,
  ) {
    this.#plan = plan
    this.#position = position
    this.#output = output
    this.#onFieldsLeftOut = onFieldsLeftOut
    this.#known = schemaFields
    this.#columns = plan.fields
  }

  get position(): number {
    return this.#position
  }

  get ended(): boolean {
    return this.#ended
  }

  async take(items: readonly LoggedItem[]): Promise<void> {
    if (this.#plan.format === 'csv') this.#settleColumns(items)
    const format = TEXT_FORMATS[this.#plan.format]
    const columns = this.#columns
    const head = this.#items === 0 ? format.head(columns) : ''
    const texts = items.map(({ item }, i) => format.item(item, columns, this.#items + i === 0))
    // Before the write: what a broken pipe took in is not known, and must not come twice.
    this.#items += items.length
    this.#position = items.at(-1)?.position ?? this.#position
    await this.#write(`${head}${texts.join('')}`)
  }

  async close(): Promise<void> {
    const format = TEXT_FORMATS[this.#plan.format]
    const text = `${this.#items === 0 ? format.head(this.#columns ?? this.#known) : ''}${format.tail}`
    if (text !== '') await this.#write(text)
  }

  #settleColumns(items: readonly LoggedItem[]): void {
    if (this.#plan.fields !== undefined) return
    const before = this.#known.length
    this.#known = widened(this.#known, items)
    if (this.#columns === undefined) this.#columns = this.#known
    else if (this.#known.length > before) this.#onFieldsLeftOut(this.#known.slice(before))
  }

  /** A reader that closed the pipe (`| head`) has had enough: that is not an error. */
  async #write(text: string): Promise<void> {
    if (this.#ended) return
    try {
      await this.#output(text)
    } catch (error) {
      this.#ended = true
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EPIPE' && code !== 'ERR_STREAM_DESTROYED') throw error
    }
  }
}
