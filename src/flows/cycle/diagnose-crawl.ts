import type { CrawlDb, LostPart } from '../../domain/crawldb/crawl-db.ts'
import type { SegmentInspector, UnreadableFile } from '../../domain/segment/segment-inspector.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'

/** A database of a crawl directory, and how to read all of it. */
export interface DatabaseCheck {
  readonly file: string
  /** The reason why it cannot be read; `undefined` when it can. */
  check(): Promise<string | undefined>
}

export interface DamagedDatabase {
  readonly file: string
  readonly reason: string
}

export interface CrawlDiagnosis {
  /** Files of segments that were read, damaged ones included. */
  readonly files: number
  readonly unreadable: readonly UnreadableFile[]
  readonly databases: readonly string[]
  readonly damagedDatabases: readonly DamagedDatabase[]
}

export interface SegmentRepair {
  /** Where the files of the parts are now. */
  readonly folder: string
  readonly parts: number
  /** URLs that will be fetched again. */
  readonly urls: number
}

/** Reads every file of every segment, and the databases. Changes nothing. */
export async function diagnoseCrawl(
  segments: Pick<SegmentInspector, 'checkFiles'>,
  databases: readonly DatabaseCheck[],
): Promise<CrawlDiagnosis> {
  const damagedDatabases: DamagedDatabase[] = []
  for (const { file, check } of databases) {
    const reason = await check()
    if (reason !== undefined) damagedDatabases.push({ file, reason })
  }
  const unreadable: UnreadableFile[] = []
  const files = new Set<string>()
  for await (const { file, damage } of segments.checkFiles()) {
    files.add(file)
    if (damage !== undefined) unreadable.push(damage)
  }
  return { files: files.size, unreadable, databases: databases.map(({ file }) => file), damagedDatabases }
}

/** Differences between the segments that the CrawlDb knows and those on disk. */
export interface SegmentDifferences {
  /** Segments with unfetched URLs whose directory is missing: the URLs would wait for a result forever. */
  readonly missing: readonly string[]
  /** Segments on disk that the CrawlDb does not know. */
  readonly unknown: readonly string[]
  /** Segments that still have URLs to fetch, or results to merge. */
  readonly unfinished: readonly string[]
}

export async function compareSegments(
  db: Pick<CrawlDb, 'segments'>,
  segments: Pick<SegmentStore, 'list'>,
): Promise<SegmentDifferences> {
  const known = await db.segments()
  const names = new Set(known.map(({ name }) => name))
  const onDisk = await segments.list()
  const present = new Set(onDisk)
  const open = known.filter(({ state }) => state === 'generated').map(({ name }) => name)
  return {
    missing: open.filter((name) => !present.has(name)),
    unknown: onDisk.filter((name) => !names.has(name)),
    unfinished: open.filter((name) => present.has(name)),
  }
}

/** Releases the URLs of parts that cannot be read, then moves the parts aside. Killed in between, it can be run again. */
export async function repairSegments(
  db: Pick<CrawlDb, 'release'>,
  segments: Pick<SegmentInspector, 'setAside'>,
  unreadable: readonly UnreadableFile[],
  now: number,
): Promise<SegmentRepair> {
  const parts = lostParts(unreadable)
  const urls = await db.release(parts, now)
  return { folder: await segments.setAside(parts, now), parts: parts.length, urls }
}

function lostParts(unreadable: readonly UnreadableFile[]): LostPart[] {
  const parts = Map.groupBy(unreadable, ({ segment, part }) => `${segment}/${part}`)
  return [...parts.values()].flatMap((files) => {
    const [first] = files
    if (first === undefined) return []
    const { segment, part } = first
    return [{ segment, part, unreadable: files.map(({ directory }) => directory) }]
  })
}
