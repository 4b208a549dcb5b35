import type { Clock } from '../../base/clock.ts'
import { indexFields } from '../../domain/indexing/index-fields.ts'
import {
  type IndexChange,
  IndexUnavailable,
  type IndexWriter,
  type RefusedChange,
} from '../../domain/indexing/index-writer.ts'
import { batches } from './batches.ts'
import { ConnectionClosed, type RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'

export interface RedisStreamWriterOptions {
  /** For people, without passwords. */
  readonly name: string
  readonly stream: string
  readonly clock: Clock
  /** Approximate number of entries that the stream keeps; older ones are lost, read or not. @default all */
  readonly maxLength?: number
  /** @default 100 */
  readonly batchSize?: number
  /** How long a call waits for a Redis that is away or full. @default 90_000 */
  readonly patienceMs?: number
  /** Ends all waiting calls: they reject with `IndexUnavailable` at once. */
  readonly signal?: AbortSignal
}

/**
 * Publishes changes as entries of a Redis stream, at least once: an entry whose reply was lost is there twice. Entries of an id are in the order
 * of its changes, and the last one counts. An entry has the fields `kind` (`put`, `delete`), `id` and, of a put, `document`: JSON.
 */
export class RedisStreamWriter implements IndexWriter {
  readonly name: string
  readonly batchSize: number
  /** In a cluster, the name is a hash tag, so that scripts know the node. */
  readonly #key: string
  readonly #connection: RedisConnection
  readonly #options: RedisStreamWriterOptions

  /** @param connection closed with the writer */
  constructor(connection: RedisConnection, options: RedisStreamWriterOptions) {
    const { name, stream, batchSize = 100 } = options
    this.name = name
    this.batchSize = batchSize
    this.#key = connection.isCluster ? `{${stream}}` : stream
    this.#connection = connection
    this.#options = options
  }

  async write(changes: readonly IndexChange[]): Promise<readonly RefusedChange[]> {
    for (const entries of batches(changes.map(entryOf), this.batchSize)) await this.#publish(entries.flat())
    return []
  }

  /** An entry can be read as soon as it is written. */
  async commit(): Promise<void> {}

  async close(): Promise<void> {
    this.#connection.close()
  }

  async #publish(entries: readonly string[]): Promise<void> {
    const { clock, patienceMs = 90_000, signal, maxLength } = this.#options
    let reason = 'the connection was closed'
    const giveUp = (why: string) => {
      reason = why
      // Ends the call that waits. No other can follow: the whole batch counts as not written.
      this.#connection.close()
    }
    const stop = () => giveUp('interrupted')
    const cancel = clock.after(patienceMs, () =>
      giveUp(`Redis was away or full for ${patienceMs / 1000} s. Run the command again when it is back`),
    )
    signal?.addEventListener('abort', stop)
    try {
      if (signal?.aborted) stop()
      const most = maxLength === undefined ? '' : String(maxLength)
      await this.#connection.run(SCRIPTS.publish, [this.#key], [most, ...entries])
    } catch (error) {
      if (!(error instanceof ConnectionClosed)) throw error
      throw new IndexUnavailable(`${this.name}: ${reason}`, { cause: error })
    } finally {
      cancel()
      signal?.removeEventListener('abort', stop)
    }
  }
}

function entryOf(change: IndexChange): readonly string[] {
  if (change.kind === 'delete') return ['delete', change.id, '']
  return ['put', change.document.id, JSON.stringify(indexFields(change.document))]
}
