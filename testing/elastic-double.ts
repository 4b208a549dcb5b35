import {
  type DoubleRequest,
  type DoubleResponse,
  type IndexServerDouble,
  type IndexServerDoubleOptions,
  startIndexServerDouble,
} from './index-server-double.ts'

export interface ItemFault {
  readonly status: number
  readonly type: string
}

export type ElasticDoubleOptions = IndexServerDoubleOptions

export interface ElasticDouble extends IndexServerDouble {
  /** One action of a bulk that fails by itself; taken when an action with the `_id` comes, one after the other. */
  readonly itemFaults: Map<string, ItemFault[]>
  /** The mapping that an index was created with. */
  mappingOf(index: string): unknown
}

/**
 * The bulk protocol of Elasticsearch and OpenSearch: what is indexed or deleted is found after a refresh. Responses are worded as OpenSearch 2.19.1
 * and Elasticsearch 7.10.2 word them.
 */
export async function startElasticDouble(options: ElasticDoubleOptions = {}): Promise<ElasticDouble> {
  const indices = new Map<string, Index>()
  const itemFaults: ElasticDouble['itemFaults'] = new Map()

  const create = (name: string, body: string): DoubleResponse => {
    if (indices.has(name))
      return failure(400, 'resource_already_exists_exception', `index [${name}] already exists`)
    const { mappings } = JSON.parse(body) as { mappings: Mapping }
    indices.set(name, { mappings, written: new Map(), found: [] })
    return { status: 200, json: { acknowledged: true, shards_acknowledged: true, index: name } }
  }
  const bulk = (index: Index, body: string): DoubleResponse => {
    if (!body.endsWith('\n'))
      return failure(400, 'illegal_argument_exception', 'The bulk request must be terminated by a newline')
    const actions = actionsOf(body)
    const tooLong = actions.find(({ id }) => Buffer.byteLength(id) > 512)
    if (tooLong !== undefined)
      return failure(
        400,
        'action_request_validation_exception',
        `Validation Failed: 1: id [${tooLong.id}] is too long`,
      )
    const items = actions.map((action) => {
      const fault = itemFaults.get(action.id)?.shift()
      const result =
        fault === undefined
          ? apply(index, action)
          : { status: fault.status, error: { type: fault.type, reason: 'as the test wants it' } }
      return { [action.kind]: { _id: action.id, ...result } }
    })
    const errors = items.some((item) => Object.values(item).some((result) => 'error' in result))
    return { status: 200, json: { took: 1, errors, items } }
  }
  const response = ({ method, target, body }: DoubleRequest): DoubleResponse => {
    const { pathname } = new URL(target, 'http://double')
    const [, name = '', verb = ''] = pathname.split('/').map(decodeURIComponent)
    if (method === 'PUT' && verb === '') return create(name, body)
    const index = indices.get(name)
    if (index === undefined) return failure(404, 'index_not_found_exception', `no such index [${name}]`)
    switch (`${method} ${verb}`) {
      case 'HEAD ':
        return { status: 200, json: {} }
      case 'POST _bulk':
        return bulk(index, body)
      case 'POST _refresh':
        index.found = [...index.written].map(([_id, _source]) => ({ _id, _source }))
        return { status: 200, json: { _shards: { total: 1, successful: 1, failed: 0 } } }
      case 'GET _search':
        return { status: 200, json: { hits: { total: { value: index.found.length }, hits: index.found } } }
      default:
        return failure(405, 'method_not_allowed', `${method} ${pathname}`)
    }
  }

  const double = await startIndexServerDouble(response, options)
  return Object.assign(double, { itemFaults, mappingOf: (index: string) => indices.get(index)?.mappings })
}

type Fields = Readonly<Record<string, unknown>>

interface Mapping {
  readonly properties: Readonly<Record<string, { readonly type: string; readonly ignore_above?: number }>>
}

interface Index {
  readonly mappings: Mapping
  readonly written: Map<string, Fields>
  found: Array<{ readonly _id: string; readonly _source: Fields }>
}

type Action =
  | { readonly kind: 'index'; readonly id: string; readonly fields: Fields }
  | { readonly kind: 'delete'; readonly id: string }

function actionsOf(body: string): Action[] {
  const lines = body.split('\n').slice(0, -1)
  const actions: Action[] = []
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const action = JSON.parse(line) as Record<string, { _id: string }>
    const { index, delete: removed } = action
    if (index !== undefined)
      actions.push({ kind: 'index', id: index._id, fields: JSON.parse(lines.shift() ?? '') as Fields })
    else if (removed !== undefined) actions.push({ kind: 'delete', id: removed._id })
    else throw new Error(`unknown action ${line}`)
  }
  return actions
}

function apply({ mappings, written }: Index, action: Action): object {
  if (action.kind === 'delete')
    return written.delete(action.id)
      ? { status: 200, result: 'deleted' }
      : { status: 404, result: 'not_found' }
  for (const [name, value] of Object.entries(action.fields)) {
    const error = name.startsWith('meta_') ? undefined : wrong(mappings, name, value)
    if (error !== undefined) return { status: 400, error }
  }
  const result = written.has(action.id) ? 'updated' : 'created'
  written.set(action.id, action.fields)
  return { status: result === 'created' ? 201 : 200, result }
}

/** Stricter than the engines, which make up a mapping for fields they do not know. */
function wrong({ properties }: Mapping, name: string, value: unknown): object | undefined {
  const field = properties[name]
  if (field === undefined) return { type: 'unknown_field', reason: `there is no field [${name}]` }
  const unparsed = (reason: string) => ({
    type: 'mapper_parsing_exception',
    reason: `failed to parse field [${name}] of type [${field.type}]`,
    caused_by: { type: 'illegal_argument_exception', reason },
  })
  if (field.type === 'date' && Number.isNaN(Date.parse(String(value))))
    return unparsed(`failed to parse date field [${value}]`)
  if (field.type === 'double' && typeof value !== 'number') return unparsed(`For input string: "${value}"`)
  const isImmense = field.type === 'keyword' && Buffer.byteLength(String(value)) > MAX_TERM_BYTES
  if (isImmense && field.ignore_above === undefined)
    return {
      type: 'illegal_argument_exception',
      reason: `Document contains at least one immense term in field="${name}"`,
    }
  return undefined
}

/** Lucene's. */
const MAX_TERM_BYTES = 32_766

function failure(status: number, type: string, reason: string): DoubleResponse {
  return { status, json: { error: { root_cause: [{ type, reason }], type, reason }, status } }
}
