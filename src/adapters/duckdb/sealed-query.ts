import { ConfigurationError } from '../../base/crawl-error.ts'
import type { Session } from './session.ts'

/**
 * Checks that a query of a user reads nothing but the tables of the crawl. A process that only reads opens the database without access to
 * files; the process that crawls needs them, so there the query itself is checked before the database binds it: every relation must be a
 * table of the crawl, a name of the query, or a function that reads neither files nor settings.
 * @throws ConfigurationError
 */
export async function checkSealed(session: Session, query: string): Promise<void> {
  const parsed = await parseQuery(session, query.replace(EXPLAIN, ''))
  const tables = await session.all<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables() WHERE NOT internal
     UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal OR schema_name = 'information_schema' OR view_name LIKE 'duckdb_%'`,
  )
  const known = new Set(tables.map(({ name }) => name.toLowerCase()))
  const local = new Set(commonTables(parsed))
  for (const node of nodesOf(parsed)) checkNode(node, known, local)
}

/** A plan is made of the same statement; what follows is checked. */
const EXPLAIN = /^\s*explain\s+(?:analyze\s+)?(?=\S)/i

async function parseQuery(session: Session, query: string): Promise<unknown> {
  const { tree } = await session.one<{ tree: string }>('SELECT json_serialize_sql($1::VARCHAR) AS tree', [
    query,
  ])
  const parsed = JSON.parse(tree) as { error: boolean; error_message?: string; error_type?: string }
  if (!parsed.error) return parsed
  throw new ConfigurationError(
    'QUERY_INVALID',
    parsed.error_type === 'not implemented'
      ? 'only SELECT can be used here: a query cannot change, attach, copy or load anything, and cannot pivot while a crawl runs'
      : (parsed.error_message ?? 'the query cannot be parsed'),
  )
}

type Node = Readonly<Record<string, unknown>>

function* nodesOf(tree: unknown): Generator<Node> {
  if (typeof tree !== 'object' || tree === null) return
  if (!Array.isArray(tree)) yield tree as Node
  for (const child of Object.values(tree)) yield* nodesOf(child)
}

/** The names of WITH clauses. One without a dot can never be the name of a file. */
function* commonTables(tree: unknown): Generator<string> {
  for (const { cte_map: map } of nodesOf(tree)) {
    const { map: entries } = (map ?? {}) as { map?: ReadonlyArray<{ key: string }> }
    for (const { key } of entries ?? []) if (/^\w+$/.test(key)) yield key.toLowerCase()
  }
}

function checkNode(node: Node, tables: ReadonlySet<string>, local: ReadonlySet<string>): void {
  const { type, class: expression } = node
  if (expression === 'FUNCTION' && FORBIDDEN_FUNCTIONS.has(nameIn(node, 'function_name')))
    throw refusal(nameIn(node, 'function_name'))
  // Relations, and nothing else, have both of these.
  if (!('sample' in node && 'alias' in node)) return
  if (type === 'BASE_TABLE' || type === 'SHOW_REF') {
    const name = nameIn(node, 'table_name').replaceAll('"', '')
    // DuckDB takes `data.csv` for a file when there is no such schema.
    const isQualified = `${nameIn(node, 'catalog_name')}${nameIn(node, 'schema_name')}` !== ''
    const isNamed =
      tables.has(name) ||
      (local.has(name) && !isQualified) ||
      (type === 'SHOW_REF' && (name === '' || SHOWN.has(name)))
    if (!isNamed) throw refusal(name)
  } else if (type === 'TABLE_FUNCTION') {
    const name = nameIn((node['function'] ?? {}) as Node, 'function_name')
    if (!ROW_FUNCTIONS.has(name)) throw refusal(name)
  } else if (!RELATIONS.has(String(type))) throw refusal(String(type))
}

function nameIn(node: Node, key: string): string {
  return String(node[key] ?? '').toLowerCase()
}

/** Relations made of others, which are checked themselves. */
const RELATIONS: ReadonlySet<string> = new Set(['EMPTY', 'SUBQUERY', 'JOIN', 'EXPRESSION_LIST', 'PIVOT'])
const SHOWN: ReadonlySet<string> = new Set(['tables', '__show_tables_expanded', 'databases'])

/** Table functions that make rows from their arguments, or describe the tables. */
const ROW_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['range', 'generate_series', 'unnest', 'repeat', 'repeat_row', 'json_each', 'json_tree'],
  ...[
    'duckdb_tables',
    'duckdb_columns',
    'duckdb_views',
    'duckdb_functions',
    'duckdb_types',
    'duckdb_keywords',
  ],
  ...['duckdb_schemas', 'duckdb_indexes', 'duckdb_constraints', 'duckdb_memory', 'duckdb_temporary_files'],
  ...['pragma_table_info', 'pragma_storage_info', 'pragma_database_size', 'pragma_version'],
])

/** `json_serialize_plan` binds a query in a string, which reads the head of a file. */
const FORBIDDEN_FUNCTIONS: ReadonlySet<string> = new Set(['json_serialize_plan', 'write_log', 'getenv'])

function refusal(name: string): ConfigurationError {
  return new ConfigurationError(
    'QUERY_INVALID',
    `a query can read the tables of this crawl only, not files, the network or extensions (${name})`,
  )
}
