import { readFileSync } from 'node:fs'
import {
  type DoubleRequest,
  type DoubleResponse,
  type IndexServerDouble,
  type IndexServerDoubleOptions,
  startIndexServerDouble,
} from './index-server-double.ts'

export interface SolrDoubleOptions extends IndexServerDoubleOptions {
  /** Whether a bad document only fails itself, as with our configset. @default true; false: it fails the rest of its batch */
  readonly tolerant?: boolean
}

export interface SolrDouble extends IndexServerDouble {
  /** Of its core. */
  readonly url: string
}

/**
 * Solr's update protocol, with the fields of our schema: what is added or deleted is found after a commit. Responses are worded as
 * Solr 9.8.1 words them.
 */
export async function startSolrDouble({
  tolerant = true,
  ...options
}: SolrDoubleOptions = {}): Promise<SolrDouble> {
  const written = new Map<string, Fields>()
  let found: Fields[] = []

  const apply = (command: Command): void => {
    if (command.kind === 'commit') found = [...written.values()]
    else if (command.kind === 'delete') written.delete(command.id)
    else {
      checkDocument(command.fields)
      written.set(String(command.fields['id']), command.fields)
    }
  }
  const update = ({ body }: DoubleRequest): DoubleResponse => {
    const errors: object[] = []
    for (const command of commandsOf(JSON.parse(body))) {
      try {
        apply(command)
      } catch (error) {
        const { message } = error as Error
        if (!tolerant)
          return {
            status: 400,
            json: { responseHeader: { status: 400, QTime: 1 }, error: { msg: message, code: 400 } },
          }
        const id = command.kind === 'add' ? (command.fields['id'] ?? '(unknown)') : ''
        errors.push({ type: 'ADD', id, message })
      }
    }
    return { status: 200, json: { responseHeader: { ...(tolerant && { errors }), status: 0, QTime: 1 } } }
  }
  const response = (request: DoubleRequest): DoubleResponse => {
    const { pathname } = new URL(request.target, 'http://double')
    if (request.method === 'POST' && pathname === '/solr/orbweaver/update') return update(request)
    if (request.method === 'GET' && pathname === '/solr/orbweaver/select')
      return { status: 200, json: { response: { numFound: found.length, start: 0, docs: found } } }
    return { status: 404, json: { error: { msg: `Can not find: ${pathname}`, code: 404 } } }
  }

  const double = await startIndexServerDouble(response, options)
  return Object.assign(double, { url: `${double.origin}/solr/orbweaver` })
}

type Fields = Readonly<Record<string, unknown>>

type Command =
  | { readonly kind: 'add'; readonly fields: Fields }
  | { readonly kind: 'delete'; readonly id: string }
  | { readonly kind: 'commit' }

/** A list is of documents to add; an object holds commands, of which our writer knows these two. */
function commandsOf(body: Fields[] | { delete?: string[]; commit?: object }): Command[] {
  if (Array.isArray(body)) return body.map((fields) => ({ kind: 'add', fields }))
  for (const name of Object.keys(body))
    if (name !== 'delete' && name !== 'commit') throw new Error(`unknown command ${name}`)
  return [
    ...(body.delete ?? []).map((id) => ({ kind: 'delete', id }) as const),
    ...(body.commit === undefined ? [] : [{ kind: 'commit' } as const]),
  ]
}

function checkDocument(fields: Fields): void {
  const { id } = fields
  if (id === undefined) throw new Error('Document is missing mandatory uniqueKey field: id')
  for (const [name, value] of Object.entries(fields)) {
    const type = name.startsWith('meta_') ? 'text' : FIELD_TYPES.get(name)
    if (type === undefined) throw new Error(`ERROR: [doc=${id}] unknown field '${name}'`)
    if (type === 'date' && Number.isNaN(Date.parse(String(value))))
      throw new Error(
        `ERROR: [doc=${id}] Error adding field '${name}'='${value}' msg=Invalid Date String:'${value}'`,
      )
    if (type === 'double' && typeof value !== 'number')
      throw new Error(
        `ERROR: [doc=${id}] Error adding field '${name}'='${value}' msg=For input string: "${value}"`,
      )
    if (type === 'string' && Buffer.byteLength(String(value)) > MAX_TERM_BYTES)
      throw new Error(
        `Exception writing document id ${id} to the index; possible analysis error: Document contains at least one immense term in field="${name}"`,
      )
  }
}

/** Lucene's. */
const MAX_TERM_BYTES = 32_766

const SCHEMA = readFileSync(new URL('../schemas/solr/conf/schema.xml', import.meta.url), 'utf8')

const FIELD_TYPES = new Map(
  Array.from(SCHEMA.matchAll(/<field name="(\w+)" type="(\w+)"/g), ([, name = '', type = '']) => [
    name,
    type,
  ]),
)
