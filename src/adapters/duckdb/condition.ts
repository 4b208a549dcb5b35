import { ConfigurationError } from '../../base/crawl-error.ts'
import type { Session } from './session.ts'

/**
 * Checks that `expr`, written by an operator, is a single condition over the columns of `crawldb`, and returns it for a WHERE clause.
 * @throws ConfigurationError with the message of DuckDB
 */
export async function checkCondition(session: Session, expr: string): Promise<string> {
  const condition = await checkExpression(session, expr, 'crawldb')
  const statement = await session.prepare(`SELECT ${condition} FROM crawldb LIMIT 0`)
  const type = String(statement.columnType(0))
  statement.destroySync()
  if (type === 'BOOLEAN') return condition
  throw refusal(CONDITION, expr, `it gives ${type}, not true or false`)
}

const CONDITION = 'the condition'

/**
 * Checks that `expr` is a single expression over the columns of `view`, and returns it in parentheses.
 * @param what names the expression in messages
 * @throws ConfigurationError with the message of DuckDB
 */
export async function checkExpression(
  session: Session,
  expr: string,
  view: 'crawldb' | 'hostdb',
  what = CONDITION,
): Promise<string> {
  // On lines of its own: a comment at its end must not swallow what follows.
  const condition = `(\n${expr}\n)`
  const { tree } = await session.one<{ tree: string }>('SELECT json_serialize_sql($1::VARCHAR) AS tree', [
    `SELECT ${condition}`,
  ])
  const parsed = JSON.parse(tree) as SerializedSql
  if (parsed.error) throw refusal(what, expr, parsed.error_message ?? 'it cannot be parsed')
  const node = parsed.statements?.length === 1 ? parsed.statements[0]?.node : undefined
  if (!isLoneExpression(node)) throw refusal(what, expr, 'it must be a single expression')
  if (readsRows(node))
    throw refusal(what, expr, 'it must not read tables or files, only the columns of the record')

  try {
    ;(await session.prepare(`SELECT ${condition} FROM ${view} LIMIT 0`)).destroySync()
    return condition
  } catch (error) {
    throw refusal(what, expr, shortened(error instanceof Error ? error.message : String(error)))
  }
}

interface SerializedSql {
  readonly error: boolean
  readonly error_message?: string
  readonly statements?: ReadonlyArray<{ readonly node: SelectNode }>
}

interface SelectNode {
  readonly type: string
  readonly modifiers: readonly unknown[]
  readonly select_list: readonly unknown[]
  readonly from_table: { readonly type: string }
  readonly where_clause: unknown
  readonly group_expressions: readonly unknown[]
  readonly having: unknown
  readonly qualify: unknown
}

/** `1) FROM urls WHERE (true` closes our parenthesis and continues; then there is more than one expression and nothing else. */
function isLoneExpression(node: SelectNode | undefined): boolean {
  return (
    node?.type === 'SELECT_NODE' &&
    node.select_list.length === 1 &&
    node.from_table.type === 'EMPTY' &&
    [node.where_clause, node.having, node.qualify].every((clause) => clause === null) &&
    node.modifiers.length + node.group_expressions.length === 0
  )
}

/** A subquery could read any file of this user: `exists (from read_text('…'))`. Without tables, as in `x = any([1, 2])`, it cannot. */
function readsRows(tree: unknown): boolean {
  if (typeof tree !== 'object' || tree === null) return false
  if ('from_table' in tree && !ROWLESS.has((tree as SelectNode).from_table?.type ?? '')) return true
  return Object.values(tree).some(readsRows)
}

const ROWLESS: ReadonlySet<string> = new Set(['EMPTY', 'EXPRESSION_LIST'])

/** Without the name of the error, and the line of a query that the user did not write. */
function shortened(message: string): string {
  const [cause = ''] = message.replace(/^[A-Z]\w+ Error: /, '').split(/\n\s*LINE /)
  return cause.replace(/ in FROM clause!\s*Candidate bindings:/, '; similar columns:').trim()
}

function refusal(what: string, expr: string, why: string): ConfigurationError {
  return new ConfigurationError('QUERY_INVALID', `${what} "${expr}" cannot be used: ${why}`)
}
