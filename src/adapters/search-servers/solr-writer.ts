import { z } from 'zod'
import { appendAll } from '../../base/append-all.ts'
import { printable } from '../../base/printable.ts'
import { indexFields, latestChanges } from '../../domain/indexing/index-fields.ts'
import type { IndexChange, IndexWriter, RefusedChange } from '../../domain/indexing/index-writer.ts'
import { type IndexServer, type IndexServerResponse, inRequests, type Part } from './index-server.ts'

export interface SolrWriterOptions {
  /** Of the core or collection: `/solr/orbweaver`. */
  readonly path: string
  /** @default 500 */
  readonly batchSize?: number
  /** How soon Solr shows what it got, without being told to commit. @default it waits for the commit */
  readonly commitWithinMs?: number
  /** Of a request. @default 10 MiB */
  readonly maxBytes?: number
}

/** Writes to a core or collection of Solr 9 or later. */
export class SolrWriter implements IndexWriter {
  readonly name: string
  readonly batchSize: number
  readonly #server: IndexServer
  readonly #update: string
  readonly #maxBytes: number | undefined

  /** @param server closed with the writer */
  constructor(server: IndexServer, { path, batchSize = 500, commitWithinMs, maxBytes }: SolrWriterOptions) {
    this.name = server.name
    this.batchSize = batchSize
    this.#server = server
    this.#update = `${path}/update?wt=json${commitWithinMs === undefined ? '' : `&commitWithin=${commitWithinMs}`}`
    this.#maxBytes = maxBytes
  }

  async write(changes: readonly IndexChange[]): Promise<readonly RefusedChange[]> {
    const latest = latestChanges(changes)
    const size = { maxParts: this.batchSize, maxBytes: this.#maxBytes }
    const refused: RefusedChange[] = []
    for (const some of inRequests(latest.values().flatMap(deleted), size))
      appendAll(refused, await this.#send(some, (texts) => `{"delete":[${texts}]}`))
    for (const some of inRequests(latest.values().flatMap(added), size))
      appendAll(refused, await this.#send(some, (texts) => `[${texts}]`))
    return refused
  }

  async commit(): Promise<void> {
    const response = await this.#server.request({
      method: 'POST',
      path: this.#update,
      body: '{"commit":{"waitSearcher":true}}',
    })
    if (response.status !== 200) throw this.#misuse(response)
    this.#read(response)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async #send(parts: readonly Part[], bodyOf: (texts: string) => string): Promise<RefusedChange[]> {
    const body = bodyOf(parts.map(({ text }) => text).join(','))
    const response = await this.#server.request({ method: 'POST', path: this.#update, body })
    if (response.status === 200) return this.#tolerated(response)
    if (response.status !== 400 && response.status !== 413) throw this.#misuse(response)
    const reason = response.status === 413 ? 'too large for this server' : this.#reason(response)
    if (parts.length === 1) return parts.map(({ id }) => ({ id, reason }))
    const middle = parts.length >> 1
    return [
      ...(await this.#send(parts.slice(0, middle), bodyOf)),
      ...(await this.#send(parts.slice(middle), bodyOf)),
    ]
  }

  /** What a tolerant processor left out. */
  #tolerated(response: IndexServerResponse): RefusedChange[] {
    const { errors = [] } = this.#read(response).responseHeader
    return errors.map(({ id, message }) => ({ id, reason: this.#checked(message) }))
  }

  #reason(response: IndexServerResponse): string {
    return this.#checked(this.#read(response).error?.msg ?? response.text)
  }

  /** A field that the schema lacks is a configuration error: every document would be refused. */
  #checked(message: string): string {
    const field = /unknown field '([^']*)'/.exec(message)?.[1]
    if (field !== undefined)
      throw this.#server.misuse(
        `its schema has no field ${printable(field)}. Create the core with the schema in ${SCHEMA}, or add the fields to yours`,
      )
    return printable(message, 500)
  }

  #misuse({ status, text }: IndexServerResponse): Error {
    // 405: the web server around Solr has nothing to post to under the name of a core that Solr lacks.
    if (status === 404 || status === 405)
      return this.#server.misuse(
        `there is no such core or collection. Create it with the schema in ${SCHEMA} (docs/index-targets.md)`,
      )
    return this.#server.misuse(`it returned ${status}, ${printable(text)}`)
  }

  #read({ text }: IndexServerResponse): z.infer<typeof SOLR_RESPONSE> {
    try {
      return SOLR_RESPONSE.parse(JSON.parse(text))
    } catch {
      throw this.#server.misuse(`this is not the response of a Solr: ${printable(text)}`)
    }
  }
}

function deleted(change: IndexChange): Part[] {
  return change.kind === 'delete' ? [{ id: change.id, text: JSON.stringify(change.id) }] : []
}

function added(change: IndexChange): Part[] {
  if (change.kind === 'delete') return []
  return [{ id: change.document.id, text: JSON.stringify(indexFields(change.document)) }]
}

const SCHEMA = 'node_modules/orbweaver/schemas/solr'

const SOLR_RESPONSE = z.object({
  responseHeader: z.object({
    errors: z.array(z.object({ id: z.string(), message: z.string() })).optional(),
  }),
  error: z.object({ msg: z.string().optional() }).optional(),
})
