import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import {
  CrawlDirectoryMissing,
  DatabaseUnreadable,
} from '../adapters/crawl-directory/crawl-directory-error.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import { checkIndex, indexFile } from '../adapters/sqlite-index/index-file.ts'
import { wallClock } from '../base/clock.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import {
  type CrawlDiagnosis,
  type DatabaseCheck,
  diagnoseCrawl,
  repairSegments,
  type SegmentRepair,
} from '../flows/cycle/diagnose-crawl.ts'
import { type SessionOptions, withCrawl, withCrawlToRead } from '../wiring/crawl-session.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { formatCount, formatJson, formatNumber, printableLine } from './format-values.ts'
import { helpNotes } from './help-notes.ts'

interface DoctorFlags extends CrawlFlags {
  readonly repair: boolean
}

const HELP = `
Reads every file of every segment, the CrawlDb and the search index, and lists the files that cannot be read. --repair moves all files of a damaged
part to <dir>/damaged/<time>/ and deletes nothing. The next crawl or fetch fetches the pages of that part again. A damaged CrawlDb
cannot be repaired: restore it from a backup.

Examples:
  orbweaver doctor crawl
  orbweaver doctor crawl --repair`

export function doctorCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('doctor')
    .argument('<dir>', 'Crawl directory')
    .option('--repair', 'Move damaged parts of segments aside, so that their pages are fetched again', false)
  return addCrawlOptions(command)
    .addHelpText(
      'after',
      helpNotes(
        { 0: 'no damage, or all damage was repaired', 3: 'damage was found, or the check failed' },
        HELP,
      ),
    )
    .action(async (dir: string, flags: DoctorFlags) => {
      const request = { ...sessionOptions(dir, flags, 'doctor'), loadsCode: false }
      const diagnosis = await diagnose(request)
      const { unreadable, damagedDatabases } = diagnosis
      const repair =
        flags.repair && unreadable.length > 0 && damagedDatabases.length === 0
          ? await withCrawl(request, ({ db, segments }) =>
              repairSegments(db, segments, unreadable, wallClock.now()),
            )
          : undefined
      const isSound = damagedDatabases.length === 0 && (unreadable.length === 0 || repair !== undefined)
      terminal.out(
        flags.json
          ? formatJson({ directory: dir, sound: isSound, ...diagnosis, ...withoutUndefined({ repair }) })
          : report(dir, diagnosis, repair, flags.repair),
      )
      if (!isSound) exitWith(EXIT.failed)
    })
}

async function diagnose(request: SessionOptions): Promise<CrawlDiagnosis> {
  const { dir } = request
  const crawlDb: DatabaseCheck = {
    file: join(dir, 'crawldb.duckdb'),
    check: () =>
      withCrawlToRead(request, ({ reader }) => reader.check()).then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof DatabaseUnreadable) return error.message
          throw error
        },
      ),
  }
  if (!existsSync(crawlDb.file))
    throw new CrawlDirectoryMissing(`there is no crawl in ${dir}: ${crawlDb.file} does not exist`)
  const index: DatabaseCheck = { file: indexFile(dir), check: async () => checkIndex(dir) }
  const segments = await ParquetSegments.open(dir)
  try {
    return await diagnoseCrawl(segments, existsSync(index.file) ? [crawlDb, index] : [crawlDb])
  } finally {
    segments.close()
  }
}

function report(
  dir: string,
  { files, unreadable, databases, damagedDatabases }: CrawlDiagnosis,
  repair: SegmentRepair | undefined,
  wantsRepair: boolean,
): string {
  const lines = [
    ...damagedDatabases.map(({ reason }) => printableLine(reason, 2_000)),
    ...unreadable.map(({ file, reason }) => `${file} cannot be read: ${printableLine(reason)}`),
  ]
  const read = `${formatCount(files, 'segment file')} and ${formatCount(databases.length, 'database')} read`
  if (lines.length === 0) return `${read}: no damage\n`
  lines.push(`${read}: ${formatNumber(unreadable.length + damagedDatabases.length)} damaged`)
  if (repair !== undefined)
    lines.push(
      `moved ${formatCount(repair.parts, 'part')} to ${repair.folder}; ${formatCount(repair.urls, 'URL')} will be fetched again by the next crawl or fetch`,
    )
  else if (unreadable.length > 0 && wantsRepair)
    lines.push('segments were not repaired: repair the databases first')
  else if (unreadable.length > 0)
    lines.push(`to move them aside and fetch their pages again: orbweaver doctor ${dir} --repair`)
  return `${lines.join('\n')}\n`
}
