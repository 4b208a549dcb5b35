import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { appendAll } from '../../base/append-all.ts'
import { printable } from '../../base/printable.ts'
import { PACKAGE_FOLDER } from '../../base/program-files.ts'
import { indexFields, latestChanges } from '../../domain/indexing/index-fields.ts'
import type { IndexChange, IndexWriter, RefusedChange } from '../../domain/indexing/index-writer.ts'
import { type IndexServer, type IndexServerResponse, inRequests, type Part } from './index-server.ts'
import type { Attempt } from './try-patiently.ts'

export interface ElasticWriterOptions {
  /** Of the index or alias: `/pages`. */
  readonly path: string
  /** @default 500 */
  readonly batchSize?: number
  /** Of a request. @default 10 MiB */
  readonly maxBytes?: number
  /** Whether an index that is not there is created, with our mapping. @default true */
  readonly createIndex?: boolean
}

/** Writes to an index of Elasticsearch 7 or later, or of OpenSearch. */
export class ElasticWriter implements IndexWriter {
  readonly name: string
  readonly batchSize: number
  readonly #server: IndexServer
  readonly #path: string
  readonly #maxBytes: number | undefined
  readonly #createIndex: boolean
  #indexExists = false

  /** @param server closed with the writer */
  constructor(
    server: IndexServer,
    { path, batchSize = 500, maxBytes, createIndex = true }: ElasticWriterOptions,
  ) {
    this.name = server.name
    this.batchSize = batchSize
    this.#server = server
    this.#path = path
    this.#maxBytes = maxBytes
    this.#createIndex = createIndex
  }

  async write(changes: readonly IndexChange[]): Promise<readonly RefusedChange[]> {
    await this.#ensureIndex()
    const size = { maxParts: this.batchSize, maxBytes: this.#maxBytes }
    const refused: RefusedChange[] = []
    for (const actions of inRequests(latestChanges(changes).values().map(action), size))
      appendAll(refused, await this.#send(actions))
    return refused
  }

  async commit(): Promise<void> {
    await this.#ensureIndex()
    const response = await this.#server.request({ method: 'POST', path: `${this.#path}/_refresh` })
    if (response.status !== 200) throw this.#misuse(response)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async #send(actions: readonly Part[]): Promise<RefusedChange[]> {
    const refused: RefusedChange[] = []
    let left = actions
    const end = await this.#server.patiently(async (): Promise<Attempt<'taken' | 'too large'>> => {
      const attempt = await this.#server.attempt({
        method: 'POST',
        path: `${this.#path}/_bulk?filter_path=${BULK_RESPONSE_FIELDS}`,
        body: left.map(({ text }) => text).join(''),
        contentType: 'application/x-ndjson',
      })
      if (attempt.kind === 'busy') return attempt
      if (attempt.value.status === 413) return { kind: 'done', value: 'too large' }
      if (attempt.value.status !== 200) throw this.#misuse(attempt.value)
      const { busy, refusals, reason } = this.#sort(left, attempt.value)
      appendAll(refused, refusals)
      if (busy.length === 0) return { kind: 'done', value: 'taken' }
      const some = `it has no time for ${busy.length} of ${left.length} changes: ${reason}`
      left = busy
      return { kind: 'busy', reason: some }
    })
    if (end === 'taken') return refused
    if (left.length === 1)
      return [...refused, ...left.map(({ id }) => ({ id, reason: 'too large for this server' }))]
    const middle = left.length >> 1
    return [
      ...refused,
      ...(await this.#send(left.slice(0, middle))),
      ...(await this.#send(left.slice(middle))),
    ]
  }

  /** Which actions are to be sent again, with the reason of the last, and which never. */
  #sort(
    actions: readonly Part[],
    response: IndexServerResponse,
  ): { readonly busy: Part[]; readonly refusals: RefusedChange[]; readonly reason: string } {
    const busy: Part[] = []
    const refusals: RefusedChange[] = []
    let reason = ''
    for (const [i, { status, error }] of this.#items(response, actions.length).entries()) {
      const action = actions[i]
      // A delete of what is not there is a 404 without an error.
      if (error === undefined || action === undefined) continue
      const said = wordsOf(error)
      if (status === 400 || status === 413) refusals.push({ id: action.id, reason: said })
      else if (isBusy(status)) {
        busy.push(action)
        reason = said
      } else throw this.#server.misuse(`it returned ${status}, ${said}`)
    }
    return { busy, refusals, reason }
  }

  /** One for each action, in their order; none when all went well. */
  #items(response: IndexServerResponse, count: number): BulkItem[] {
    const { errors, items } = this.#read(response)
    if (!errors) return []
    const results = items.flatMap((item) => Object.values(item))
    if (results.length !== count) throw this.#strange(response)
    return results
  }

  async #ensureIndex(): Promise<void> {
    if (this.#indexExists) return
    const there = await this.#server.request({ method: 'HEAD', path: this.#path })
    if (there.status === 404) {
      if (!this.#createIndex)
        throw this.#server.misuse('there is no such index, and createIndex=no forbids to create it')
      const body = await readFile(MAPPING_FILE, 'utf8')
      const created = await this.#server.request({ method: 'PUT', path: this.#path, body })
      // Another process created it first, or an earlier response was lost.
      const isThere = created.text.includes('resource_already_exists_exception')
      if (created.status !== 200 && !isThere) throw this.#misuse(created)
    } else if (there.status !== 200) throw this.#misuse(there)
    this.#indexExists = true
  }

  #misuse({ status, text }: IndexServerResponse): Error {
    return this.#server.misuse(`it returned ${status}, ${printable(text, 500)}`)
  }

  #strange({ text }: IndexServerResponse): Error {
    return this.#server.misuse(
      `this is not the response of an Elasticsearch or OpenSearch: ${printable(text)}`,
    )
  }

  #read(response: IndexServerResponse): z.infer<typeof BULK_RESPONSE> {
    try {
      return BULK_RESPONSE.parse(JSON.parse(response.text))
    } catch {
      throw this.#strange(response)
    }
  }
}

const MAPPING_FILE = new URL('schemas/elasticsearch/orbweaver-index.json', PACKAGE_FOLDER)

function action(change: IndexChange): Part {
  if (change.kind === 'delete')
    return { id: change.id, text: `${JSON.stringify({ delete: { _id: elasticId(change.id) } })}\n` }
  const { id } = change.document
  const fields = indexFields(change.document)
  return { id, text: `${JSON.stringify({ index: { _id: elasticId(id) } })}\n${JSON.stringify(fields)}\n` }
}

/** 409: another process wrote the same document at the same moment; ours is retried. */
function isBusy(status: number): boolean {
  return status === 409 || status === 429 || status >= 500
}

function wordsOf({ type, reason, caused_by }: BulkError): string {
  return printable([reason ?? type, caused_by?.reason ?? []].flat().join(': '), 500)
}

const BULK_ERROR = z.object({
  type: z.string(),
  reason: z.string().nullish(),
  caused_by: z.object({ reason: z.string().nullish() }).optional(),
})
type BulkError = z.infer<typeof BULK_ERROR>

const BULK_ITEM = z.object({ status: z.number(), error: BULK_ERROR.optional() })
type BulkItem = z.infer<typeof BULK_ITEM>

const BULK_RESPONSE = z.object({
  errors: z.boolean(),
  items: z.array(z.record(z.string(), BULK_ITEM)),
})

const BULK_RESPONSE_FIELDS = [
  ...['errors', 'items.*.status', 'items.*.error.type', 'items.*.error.reason'],
  'items.*.error.caused_by.reason',
].join(',')

/**
 * The `_id` of a document: its id, or for an id of more than 512 bytes, which is the engines' limit, a hash of it. No URL begins like the
 * hash does.
 */
export function elasticId(id: string): string {
  return Buffer.byteLength(id) <= MAX_ID_BYTES ? id : `sha256:${hash('sha256', id)}`
}

const MAX_ID_BYTES = 512
