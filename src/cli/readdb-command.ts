import { Command, Option } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import {
  formatCount,
  formatDuration,
  formatJson,
  formatNumber,
  formatTime,
  printableLine,
} from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CrawlDbStats } from '../domain/crawldb/crawl-db.ts'
import type { DumpOptions } from '../domain/crawldb/crawl-db-reader.ts'
import type { CrawlRecord } from '../domain/crawldb/crawl-record.ts'
import type { CrawlSession } from '../wiring/crawl-session.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { addOptionGroup, helpNotes } from './help-notes.ts'
import { dbStatus } from './list-flags.ts'
import { heldPatterns, heldText } from './novelty-texts.ts'
import { collected, positiveNumber, someNumber, storedUrl } from './option-values.ts'
import { dropTexts, outcomeText } from './report-texts.ts'

/** Flags that need --dump or --top-n. */
const SELECTIONS = ['status', 'host', 'regex', 'expr', 'minScore'] as const

interface ReadDbFlags extends CrawlFlags {
  readonly stats: boolean
  readonly url?: string
  readonly dump?: string
  readonly sql?: string
  readonly format: DumpOptions['format']
  readonly status?: readonly string[]
  readonly host?: string
  readonly regex?: string
  readonly expr?: string
  readonly topN?: number
  readonly minScore?: number
}

/** What a command found: its document, and the same for people. `undefined` for both: nothing. */
interface Response {
  readonly document: unknown
  readonly text: string
  readonly found: boolean
}

const HELP = `
Examples:
  orbweaver readdb crawl --stats
  orbweaver readdb crawl --url https://example.org/
  orbweaver readdb crawl --top-n 10 --expr "host like '%.org'"
  orbweaver readdb crawl --dump urls.csv --format csv --status db_gone
  orbweaver readdb crawl --sql "select host, count(*) from crawldb group by all order by 2 desc limit 10"`

export function readdbCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('readdb')
    .argument('<dir>', 'Crawl directory')
    .option('--stats', 'Show statistics of all records (the default)', false)
    .option('--url <url>', 'Show the record of one URL')
    .option('--dump <file>', 'Write records to a file')
    .option(
      '--sql <query>',
      'Show the rows of one SELECT over the tables of the crawl, such as crawldb; it cannot access files or the network',
    )
    .option(
      '--top-n <n>',
      'Show the n records with the highest scores, or write only these with --dump',
      positiveNumber,
    )
  addOptionGroup(command, 'With --dump', (group) =>
    group.addOption(
      new Option('--format <format>', 'File format').choices(['csv', 'jsonl', 'parquet']).default('csv'),
    ),
  )
  addOptionGroup(command, 'With --dump or --top-n', (group) =>
    group
      .option('--status <status>', 'Only records with this status; repeatable', collected)
      .option('--host <host>', 'Only URLs of this host')
      .option('--regex <pattern>', 'Only URLs that match this pattern completely')
      .option('--expr <condition>', 'Only records matching this SQL condition')
      .option('--min-score <score>', 'Only records with at least this score', someNumber),
  )
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no matching records' }, HELP))
    .action(async (dir: string, flags: ReadDbFlags) => {
      const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
      if ([flags.stats, flags.url, flags.dump ?? flags.topN, flags.sql].filter(Boolean).length > 1)
        throw new ConfigurationError(
          'OPTION_INVALID',
          'use only one of --stats, --url, --sql, and --dump or --top-n',
        )
      if (flags.sql?.trim() === '')
        throw new ConfigurationError('OPTION_INVALID', '--sql is empty: give a SELECT')
      if (
        flags.dump === undefined &&
        flags.topN === undefined &&
        SELECTIONS.some((name) => flags[name] !== undefined)
      )
        throw new ConfigurationError(
          'OPTION_INVALID',
          '--status, --host, --regex, --expr and --min-score need --dump <file> or --top-n <n>',
        )
      const response = await withCrawlToRead(
        {
          ...sessionOptions(dir, flags, 'readdb'),
          writesFiles: flags.dump !== undefined || flags.topN !== undefined,
        },
        (session) => responseOf(session, flags),
      )
      terminal.out(flags.json ? formatJson(response.document) : response.text)
      if (!response.found) exitWith(EXIT.nothing)
    })
}

async function responseOf({ db, reader }: CrawlSession, flags: ReadDbFlags): Promise<Response> {
  if (flags.url !== undefined) {
    const url = storedUrl(flags.url)
    const record = await db.find(url)
    if (record === undefined)
      return { document: null, text: `${printableLine(url)} is not in the CrawlDb\n`, found: false }
    const [near] = await db.nearPages(url)
    const cluster = near?.cluster
    return {
      document: { ...recordDocument(record), ...(cluster !== undefined && { cluster }) },
      text: `${recordText(record)}${cluster === undefined ? '' : `${'cluster'.padEnd(17)}${cluster}\n`}`,
      found: true,
    }
  }
  if (flags.dump !== undefined) {
    const written = await reader.dump(flags.dump, dumpOptions(flags))
    const text = `${formatCount(written, 'record')} written to ${flags.dump}\n`
    return { document: { file: flags.dump, records: written }, text, found: written > 0 }
  }
  if (flags.topN !== undefined) {
    const { topRecords } = await import('../wiring/top-records.ts')
    const records = await topRecords(reader, dumpOptions(flags))
    const lines = records.map(
      ({ score, status, url }) => `${score}\t${status}\t${printableLine(url, 2_000)}\n`,
    )
    return { document: records, text: lines.join(''), found: records.length > 0 }
  }
  if (flags.sql !== undefined) {
    const { columns, rows } = await reader.sql(flags.sql)
    const document = rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])))
    const lines = [columns, ...rows].map((row) =>
      row.map((value) => printableLine(String(value ?? ''), 2_000)).join('\t'),
    )
    return { document, text: `${lines.join('\n')}\n`, found: rows.length > 0 }
  }
  const stats = await db.stats()
  const held = heldPatterns(await db.novelty())
  return {
    document: held.length === 0 ? statsDocument(stats) : { ...statsDocument(stats), held },
    text: `${statsText(stats)}${heldText(held)}`,
    found: stats.total > 0,
  }
}

/** Without the rates of single hosts and content types. */
function statsDocument({ plan, ...stats }: CrawlDbStats) {
  if (plan === undefined) return stats
  const { freshness, fetchesPerDay, pages } = plan
  return { ...stats, freshness: { expected: freshness, fetchesPerDay, pages } }
}

function dumpOptions({ format, status, host, regex, expr, minScore, topN }: ReadDbFlags): DumpOptions {
  return {
    format,
    ...(status !== undefined && { status: status.map(dbStatus) }),
    ...withoutUndefined({ host, regex, expr, minScore, topN }),
  }
}

function recordDocument(record: CrawlRecord) {
  const { url, status, fetchTime, modifiedTime, fetchInterval, retries, score, signature } = record
  const { validators, metadata, lastFetchTime, generatedIn, lastOutcome } = record
  return {
    url,
    status,
    fetchTime: iso(fetchTime),
    modifiedTime: iso(modifiedTime),
    fetchInterval,
    retries,
    score,
    signature: signature ?? null,
    validators: validators ?? {},
    metadata,
    lastFetchTime: iso(lastFetchTime),
    generatedIn: generatedIn ?? null,
    lastOutcome: lastOutcome ?? null,
  }
}

function iso(ms: number): string | null {
  return ms === 0 ? null : new Date(ms).toISOString()
}

function recordText(record: CrawlRecord): string {
  const { url, status, fetchTime, modifiedTime, fetchInterval, retries, score, signature, metadata } = record
  const { etag, lastModified } = record.validators ?? {}
  const rows: [string, string][] = [
    ['url', printableLine(url, 2_000)],
    ['status', status],
    ['next fetch', formatTime(fetchTime)],
    ['fetch interval', formatDuration(fetchInterval * 1000)],
    ['last fetched', formatTime(record.lastFetchTime)],
    ...(record.lastOutcome === undefined
      ? []
      : [['last outcome', outcomeText(record.lastOutcome)] as [string, string]]),
    ['modified', formatTime(modifiedTime)],
    ['retries', String(retries)],
    ['score', String(score)],
    ['signature', signature ?? '-'],
    ...(etag === undefined ? [] : [['etag', printableLine(etag)] as [string, string]]),
    ...(lastModified === undefined
      ? []
      : [['last-modified', printableLine(lastModified)] as [string, string]]),
    ...(record.generatedIn === undefined ? [] : [['in segment', record.generatedIn] as [string, string]]),
    ...Object.entries(metadata).map(([key, value]): [string, string] => [
      printableLine(key, 40),
      printableLine(value),
    ]),
  ]
  return rows.map(([label, value]) => `${label.padEnd(17)}${value}\n`).join('')
}

function statsText(stats: CrawlDbStats): string {
  const { total, statuses, outcomes, hosts, domains, generated, score, fetchTime, dropped } = stats
  if (total === 0) return 'the CrawlDb is empty\n'
  const rows: [string, string][] = [
    ['URLs', formatNumber(total)],
    ...Object.entries(statuses).map(([name, n]): [string, string] => [`  ${name}`, formatNumber(n)]),
    ...(Object.keys(outcomes).length > 0 ? [['last outcome', ''] as [string, string]] : []),
    ...Object.entries(outcomes).map(([name, n]): [string, string] => [
      `  ${/^\d/.test(name) ? 'HTTP ' : ''}${name}`,
      formatNumber(n),
    ]),
    ['hosts', `${formatNumber(hosts)} in ${formatCount(domains, 'domain')}`],
    ['on fetch lists', formatNumber(generated)],
    ['score', `${figure(score.min)} to ${figure(score.max)}, average ${figure(score.avg)}`],
    ['next fetch', `${formatTime(fetchTime.min ?? 0)} to ${formatTime(fetchTime.max ?? 0)}`],
    ...freshnessRows(stats),
    ...dropTexts(dropped).map((text, i): [string, string] => [i === 0 ? 'dropped' : '', text]),
  ]
  return rows
    .map(([label, value]) => `${label.padEnd(20)}${value}`.trimEnd())
    .join('\n')
    .concat('\n')
}

function freshnessRows({ plan }: CrawlDbStats): [string, string][] {
  if (plan === undefined || plan.pages === 0) return []
  const budget = formatNumber(Number(plan.fetchesPerDay.toPrecision(3)))
  return [
    [
      'expected freshness',
      `${(100 * plan.freshness).toFixed(1)} % of ${formatCount(plan.pages, 'page')}, with ${budget} fetches per day`,
    ],
  ]
}

function figure(n: number | undefined): string {
  return n === undefined ? '-' : String(Number(n.toPrecision(4)))
}
