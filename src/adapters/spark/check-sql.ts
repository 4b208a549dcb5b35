import { ConfigurationError } from '../../base/crawl-error.ts'
import { SMALL_TABLES, TABLE_NAMES } from './crawl-tables.ts'
import type { CrawlVersions } from './crawl-versions.ts'

/**
 * Checks that `expr`, written by an operator, is a single condition over the columns of `crawldb`, and returns it for a WHERE clause.
 * @throws ConfigurationError with the message of Spark
 */
export async function checkSparkCondition(db: CrawlVersions, expr: string): Promise<string> {
  // On lines of its own: a comment at its end must not swallow what follows.
  const condition = `(\n${expr}\n)`
  const refuse = (why: string) =>
    new ConfigurationError('QUERY_INVALID', `the condition "${expr}" cannot be used: ${why}`)
  let columns: [string, string][]
  await db.showPublicViews()
  try {
    const { expression } = await db.spark.request<{ expression: string }>('check', {
      db: db.db,
      condition: expr,
    })
    if (/(?:exists|subquery|list)#\d+/.test(expression))
      throw refuse('it must not read tables or files, only the columns of the record')
    const called = forbiddenFunction(expression)
    if (called !== undefined) throw refuse(`it must not call ${called}`)
    columns = await db.spark.request('columns', {
      db: db.db,
      sql: `SELECT ${condition} AS value FROM crawldb LIMIT 0`,
    })
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    throw refuse(sparkMessage(error))
  }
  const type = columns[0]?.[1] ?? ''
  if (type !== 'boolean') throw refuse(`it gives ${type.toUpperCase()}, not true or false`)
  return condition
}

/**
 * Checks that a query of a user is one SELECT that reads nothing but the tables of the crawl.
 * @throws ConfigurationError
 */
export async function checkQuery(db: CrawlVersions, sql: string): Promise<void> {
  let plan: string
  try {
    plan = (await db.spark.request<{ plan: string }>('check', { db: db.db, sql })).plan
  } catch (error) {
    throw new ConfigurationError('QUERY_INVALID', sparkMessage(error), { cause: error })
  }
  for (const line of plan.split('\n')) {
    const node = /^[\s:+-]*'?([A-Z]\w*)/.exec(line)?.[1]
    if (node !== undefined && !PLAN_NODES.has(node))
      throw new ConfigurationError(
        'QUERY_INVALID',
        `only SELECT can be used here: a query cannot change, load or run anything (${node})`,
      )
  }
  const called = forbiddenFunction(plan)
  if (called !== undefined) throw refusal(called)
  const local = new Set(
    Array.from(plan.matchAll(/SubqueryAlias (\w+)/g), ([, name = '']) => name.toLowerCase()),
  )
  for (const [, name = ''] of plan.matchAll(/UnresolvedRelation \[([^\]]*)\]/g)) {
    if (!RELATIONS.has(name.toLowerCase()) && !local.has(name.toLowerCase())) throw refusal(name)
  }
}

function refusal(name: string): ConfigurationError {
  return new ConfigurationError(
    'QUERY_INVALID',
    `a query can read the tables of this crawl only, not files, the network or Java (${name})`,
  )
}

/** Functions that call Java, or read the settings of the session. */
function forbiddenFunction(tree: string): string | undefined {
  return /'?\b((?:try_)?reflect|java_method|input_file_name|current_catalog|current_user)\(/i.exec(tree)?.[1]
}

const RELATIONS: ReadonlySet<string> = new Set(['crawldb', ...TABLE_NAMES, ...Object.keys(SMALL_TABLES)])

/** Nodes of plans that only read. */
const PLAN_NODES: ReadonlySet<string> = new Set([
  ...[
    'Project',
    'Filter',
    'Aggregate',
    'Sort',
    'GlobalLimit',
    'LocalLimit',
    'Offset',
    'Distinct',
    'Deduplicate',
  ],
  ...[
    'Join',
    'LateralJoin',
    'Union',
    'Except',
    'Intersect',
    'SubqueryAlias',
    'CTE',
    'UnresolvedWith',
    'WithCTE',
  ],
  ...['UnresolvedRelation', 'UnresolvedInlineTable', 'UnresolvedTableValuedFunction', 'UnresolvedHaving'],
  ...[
    'UnresolvedSubqueryColumnAliases',
    'OneRowRelation',
    'LocalRelation',
    'Range',
    'Generate',
    'Window',
    'WithWindowDefinition',
  ],
  ...['Sample', 'Pivot', 'Unpivot', 'Tail', 'ResolvedInlineTable', 'UnresolvedTVFAliases'],
])

/** The part of a message of Spark that is about the query. */
export function sparkMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/^Spark could not run a step, which changed nothing: (?:[\w.]+Exception: )?/, '')
}
