import { writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { JudgeUrl } from '../../domain/crawldb/crawl-db-requests.ts'
import { type DuplicateRule, splitDuplicates } from '../../domain/crawldb/duplicate-order.ts'
import { type InjectRules, injectRecord, type Seed } from '../../domain/crawldb/inject-record.ts'
import { metadataOf, type RecordRow, recordOf, rowOf, shortest } from '../../domain/crawldb/record-row.ts'
import type { UpdateRules } from '../../domain/crawldb/update-record.ts'
import { type EventRow, updatedRecord } from '../../domain/segment/event-row.ts'
import { registeredDomain } from '../../domain/url/registered-domain.ts'
import { RULE_ERROR } from './spark-error.ts'

/** What executors do with the rows of a query. */
export interface RuleTask {
  /**
   * `update`: events with a record to the changed record. `inject`: a known record and a seed to the changed record. `judge`: URLs to
   * their new form. `rank`: due URLs to their sort value. `duplicates`: pages with the same content to those that are not kept.
   * `domains`: hosts to their registered domain.
   */
  readonly task: 'update' | 'inject' | 'judge' | 'rank' | 'duplicates' | 'domains'
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Plain values of the request; the other rules come from the crawl. */
  readonly rules?: Omit<UpdateRules & InjectRules, 'schedule' | 'scoring'>
  readonly judge?: { readonly normalizes: boolean; readonly filters: boolean }
  /** `judge`: leave out URLs that do not change. */
  readonly onlyChanges?: boolean
  readonly minScore?: number
  readonly order?: readonly DuplicateRule[]
}

/** The rules of a crawl, as far as executors need them. */
export interface ExecutorRules {
  readonly rules: InjectRules & UpdateRules
  readonly judge?: JudgeUrl
}

/** The file that a rules worker gets: its task, and how to load the rules of the crawl. */
export interface RuleFile<Source> {
  readonly task: RuleTask
  readonly source: Source
}

/**
 * The main function of a rules worker: reads rows as JSON lines, applies the rules, and writes the results as JSON lines. Spark starts
 * one for each partition.
 * @param load builds the rules from what `RuleFile.source` says
 */
export async function runRulesWorker<Source>(
  load: (source: Source, task: RuleTask) => Promise<ExecutorRules>,
): Promise<void> {
  try {
    const { task, source } = JSON.parse(await readRuleFile(process.argv[2] ?? '')) as RuleFile<Source>
    const needsRules = task.task !== 'domains' && task.task !== 'duplicates'
    const apply = rowFunction(task, needsRules ? await load(source, task) : undefined)
    await pipeRows(apply)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    writeSync(2, `${RULE_ERROR}${message.replaceAll(/\s+/g, ' ')}\n`)
    process.exitCode = 1
  }
}

/** Spark copies the file to a folder of each executor, and appends this folder to the PATH of the commands it runs. */
async function readRuleFile(name: string): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).reverse()) {
    try {
      return await readFile(join(folder, name), 'utf8')
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`the file ${name} is not on the PATH of the executor`)
}

/** Returns the result of one row; `undefined` (the row) after the last. */
type RowFunction = (row: unknown) => readonly object[]

function rowFunction(task: RuleTask, executor: ExecutorRules | undefined): RowFunction {
  if (task.task === 'duplicates') return duplicatesIn(task.order)
  if (task.task === 'domains')
    return eachRow<{ host: string }>(({ host }) => ({ host, domain: registeredDomain(host) }))
  if (executor === undefined) throw new Error(`${task.task} needs the rules of the crawl`)
  const rules = { ...executor.rules, ...task.rules }
  switch (task.task) {
    case 'update':
      return eachRow<EventRow>((row) => {
        const record = updatedRecord(row, rules, task.now)
        // A page without events is only checked for being an orphan.
        const hasEvents = row.fetch_status !== null || row.link_count !== null || row.redirect_score !== null
        if (record === undefined) return undefined
        const stored = roundedRow(rowOf(record))
        return hasEvents || stored.status !== row.status
          ? { ...stored, known: row.status !== null }
          : undefined
      })
    case 'inject':
      return eachRow<RecordRow & { line: string }>((row) => {
        const old = recordOf(row)
        const record = injectRecord(old, JSON.parse(row.line) as Seed, rules, task.now)
        return record === old ? undefined : roundedRow(rowOf(record))
      })
    case 'rank':
      return eachRow<{ url: string; score: number; metadata: string | null }>(({ url, score, metadata }) => {
        const value = rules.scoring.sortValue(
          { url, score: shortest(Math.fround(score)), metadata: metadataOf(metadata) },
          1,
        )
        return value >= (task.minScore ?? Number.NEGATIVE_INFINITY) ? { url, sort_value: value } : undefined
      })
    case 'judge':
      return eachRow<{ url: string }>(({ url }) => {
        const verdict = executor.judge?.(url) ?? { ok: true, url }
        const newUrl = verdict.ok ? verdict.url : null
        return task.onlyChanges === true && newUrl === url ? undefined : { url, new_url: newUrl }
      })
  }
}

function eachRow<Row>(apply: (row: Row) => object | undefined): RowFunction {
  return (row) => {
    const result = row === undefined ? undefined : apply(row as Row)
    return result === undefined ? [] : [result]
  }
}

/** Times are whole milliseconds; a schedule of the user may compute fractions. */
function roundedRow(row: RecordRow): RecordRow {
  return {
    ...row,
    fetch_time: Math.round(row.fetch_time),
    fetch_interval: Math.round(row.fetch_interval),
    modified_time: Math.round(row.modified_time),
    last_fetch_time: Math.round(row.last_fetch_time),
    content_time: Math.round(row.content_time),
    retries: Math.min(row.retries, MAX_RETRIES),
  }
}

const MAX_RETRIES = 65_535

interface Copy {
  readonly copy_group: string
  readonly url: string
  readonly host: string
  readonly score: number
  readonly last_fetch_time: number
}

/** The rows of a group follow one another. */
function duplicatesIn(order: readonly DuplicateRule[] | undefined): RowFunction {
  let group: Copy[] = []
  return (row) => {
    const copy = row as Copy | undefined
    const isSame = copy !== undefined && copy.copy_group === group[0]?.copy_group
    if (isSame) {
      group.push(copy)
      return []
    }
    const pages = group.map((page) => ({ ...page, lastFetchTime: page.last_fetch_time }))
    group = copy === undefined ? [] : [copy]
    return splitDuplicates(pages, order).duplicates.map(({ url, host }) => ({ url, host }))
  }
}

/** Rows of any number: reading waits for writing. */
async function pipeRows(apply: RowFunction): Promise<void> {
  let partial = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    const lines = (partial + String(chunk)).split('\n')
    partial = lines.pop() ?? ''
    await write(lines.flatMap((line) => apply(JSON.parse(line))))
  }
  await write([...(partial === '' ? [] : apply(JSON.parse(partial))), ...apply(undefined)])
}

async function write(results: readonly object[]): Promise<void> {
  if (results.length === 0) return
  const text = results.map((result) => `${JSON.stringify(result)}\n`).join('')
  await new Promise<void>((resolve, reject) =>
    process.stdout.write(text, (error) => (error ? reject(error) : resolve())),
  )
}
