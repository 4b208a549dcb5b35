import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatJson, printableLine } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { HostDbReport, HostRecord } from '../flows/cycle/read-host-db.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber } from './option-values.ts'
import { addCsvOption, formatRows, type RowFlags } from './row-output.ts'

interface ReadHostFlags extends CrawlFlags, RowFlags {
  readonly host?: string
  readonly expr?: string
  readonly sort: string
  readonly ascending: boolean
  readonly top?: number
  readonly dumpHostnames: boolean
  readonly dumpHomepages: boolean
}

const HELP = `
Conditions and --sort use the columns of hostdb, such as urls, unfetched, fetched, gone, dns_failures, connection_failures, server_errors, failures_in_a_row, robots, avg_response_ms and link_score; --csv prints all of them.

Examples:
  orbweaver readhostdb crawl --top 20
  orbweaver readhostdb crawl --host example.org
  orbweaver readhostdb crawl --expr "fetched > 100 and avg_response_ms > 2000" --sort avg_response_ms
  orbweaver readhostdb crawl --expr "failures_in_a_row = 0" --dump-hostnames`

/** Nutch's readhostdb. */
export function readhostdbCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('readhostdb')
    .description('Show the facts about hosts: counts by status, failures, response times, robots.txt')
    .argument('<dir>', 'Crawl directory')
    .option('--host <host>', 'Show everything about one host')
    .option('--expr <condition>', 'Only hosts matching this SQL condition')
    .option('--sort <column>', 'Column to sort by, the highest values first', 'urls')
    .option('--ascending', 'Sort the lowest values first', false)
    .option('--top <n>', 'Only the first n hosts (default: all)', positiveNumber)
    .option('--dump-hostnames', 'Print only the names of the hosts', false)
    .option('--dump-homepages', 'Print only the URLs of the home pages', false)
  return addCsvOption(addCrawlOptions(command))
    .addHelpText('after', helpNotes({ 1: 'no matching hosts' }, HELP))
    .action(async (dir: string, flags: ReadHostFlags) => {
      const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
      const { readHost, readHosts } = await import('../flows/cycle/read-host-db.ts')
      if (flags.dumpHostnames && flags.dumpHomepages)
        throw new ConfigurationError(
          'OPTION_INVALID',
          'use only one of --dump-hostnames and --dump-homepages',
        )
      const { host, expr, sort, top } = flags
      if (host !== undefined && (expr !== undefined || top !== undefined))
        throw new ConfigurationError('OPTION_INVALID', '--host cannot be used with --expr or --top')
      const text = await withCrawlToRead(sessionOptions(dir, flags, 'readhostdb'), async ({ reader }) => {
        if (host !== undefined) {
          const report = await readHost(reader, host.toLowerCase())
          if (report === undefined) exitWith(EXIT.nothing)
          if (flags.json) return formatJson(report ?? null)
          return report === undefined ? `the crawl has no URLs of ${printableLine(host)}\n` : hostText(report)
        }
        const request = { sort, descending: !flags.ascending, ...withoutUndefined({ expr, limit: top }) }
        const records = await readHosts(reader, request)
        if (records.length === 0) exitWith(EXIT.nothing)
        return listText(records, flags)
      })
      terminal.out(text)
    })
}

function listText(records: readonly HostRecord[], flags: ReadHostFlags): string {
  if (flags.dumpHostnames || flags.dumpHomepages) {
    const values = records.map((record) => (flags.dumpHostnames ? record.host : record['home_page']))
    const names = values.filter((value) => typeof value === 'string')
    return flags.json ? formatJson(names) : names.map((name) => `${printableLine(name, 2_000)}\n`).join('')
  }
  const columns = flags.csv
    ? Object.fromEntries(Object.keys(records[0] ?? { host: '' }).map((name) => [name, name]))
    : COLUMNS
  return formatRows(records, columns, flags)
}

const COLUMNS = {
  host: 'host',
  urls: 'URLs',
  fetched: 'fetched',
  unfetched: 'unfetched',
  gone: 'gone',
  dns_failures: 'DNS failures',
  connection_failures: 'connection failures',
  avg_response_ms: 'response ms',
  robots: 'robots.txt',
}

function hostText({ numbers, values, ...record }: HostDbReport): string {
  const lines = Object.entries(record)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(22)}${printableLine(String(value), 2_000)}\n`)
  for (const { field, ...figures } of numbers) {
    const text = Object.entries(figures).map(
      ([name, value]) => `${name} ${Number(Number(value).toPrecision(6))}`,
    )
    lines.push(`${printableLine(String(field)).padEnd(22)}${text.join(', ')}\n`)
  }
  for (const { field, value, count } of values)
    lines.push(
      `${printableLine(String(field)).padEnd(22)}${printableLine(String(value))}: ${String(count)}\n`,
    )
  return lines.join('')
}
