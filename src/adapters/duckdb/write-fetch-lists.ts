import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { INTEGER, VARCHAR } from '@duckdb/node-api'
import { diskFiles } from '../../base/durable-files.ts'
import type { GenerateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { divideHosts } from '../../domain/crawldb/fill-segments.ts'
import { segmentName } from '../crawl-directory/segment-files.ts'
import type { SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { type DueSelection, selectDue } from './select-due.ts'
import { type Session, sqlText } from './session.ts'

/** A segment whose fetch list is written but which is not renamed yet. */
export interface WrittenList {
  readonly name: string
  readonly urls: number
}

/** The temporary directory name of a segment, until the database knows it. */
export function temporaryName(name: string): string {
  return `.${name}.tmp`
}

/**
 * Writes the fetch lists of `selection` as Parquet files, with the hosts in turn, to temporary directories; `nameSegment` renames them.
 * @param entries selects the entries: `segment`, `part_key`, and the columns of crawl_generate
 * @param known names of segments that are taken
 */
export async function writeFetchLists(
  session: Session,
  folder: SegmentFolder,
  { segments }: DueSelection,
  request: GenerateRequest,
  entries: string,
  known: readonly string[],
): Promise<WrittenList[]> {
  const parts = await session.stage('parts', { segment: INTEGER, part_key: VARCHAR, part: INTEGER })
  for (const [segment, sizes] of segments.entries()) {
    for (const [key, part] of await partOfKey(sizes, request)) parts.add(segment, key, part)
  }
  parts.close()
  await session.run(`
    CREATE TEMP TABLE lists AS
    SELECT e.*, p.part FROM (${entries}) e JOIN parts p ON p.segment = e.segment AND p.part_key = e.part_key`)

  const taken = new Set([...(await readdir(folder.path)), ...(await folder.list()), ...known])
  const written: WrittenList[] = []
  for (let at = request.now; written.length < segments.length; at += 1000) {
    const name = segmentName(at)
    if (taken.has(name)) continue
    const segment = written.length
    await writeParts(session, join(folder.path, temporaryName(name)), segment, request.numFetchers ?? 1)
    const sizes = segments[segment] ?? new Map<string, number>()
    written.push({ name, urls: sizes.values().reduce((sum, size) => sum + size, 0) })
  }
  return written
}

/** Gives a segment its name, once the database knows it. */
export async function nameSegment(segmentsPath: string, name: string): Promise<void> {
  await diskFiles.rename(join(segmentsPath, temporaryName(name)), join(segmentsPath, name))
  await diskFiles.sync(segmentsPath)
}

const CHOSEN_ENTRIES = `
  SELECT c.segment, c.part_key, c.sort_value, u.url, u.score, u.etag, u.last_modified, lower(hex(u.signature)) AS signature,
    coalesce(u.metadata, '{}') AS metadata, u.fp, h.host
  FROM chosen c JOIN urls u ON u.rowid = c.row_id::BIGINT JOIN hosts h ON h.id = u.host_id`

/**
 * The best URL of each host, then the second of each, and so on. The fetcher holds a part of the list in memory: with the best URLs of all
 * first, those of one large host could fill it, and other hosts would have to wait.
 */
const HOSTS_IN_TURN =
  'row_number() OVER (PARTITION BY part_key ORDER BY sort_value DESC, fp), sort_value DESC, fp'

async function writeParts(
  session: Session,
  directory: string,
  segment: number,
  parts: number,
): Promise<void> {
  const folder = join(directory, 'crawl_generate')
  await rm(directory, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (let part = 0; part < parts; part++) {
    const file = join(folder, `part-${String(part).padStart(5, '0')}.parquet`)
    await session.run(`
      COPY (
        SELECT url, sort_value, score::DOUBLE AS score, etag, last_modified, signature, metadata, fp, host
        FROM lists WHERE segment = ${segment} AND part = ${part} ORDER BY ${HOSTS_IN_TURN}
      ) TO ${sqlText(file)} (FORMAT parquet, COMPRESSION zstd)`)
    // A fetch list must be on the disk before the database says that it is.
    await diskFiles.sync(file)
  }
  for (const path of [folder, directory, dirname(directory)]) await diskFiles.sync(path)
}

/** The part number of each key. With `ip`, hosts with the same address share a part. */
async function partOfKey(
  sizes: ReadonlyMap<string, number>,
  { numFetchers = 1, partition, resolve }: GenerateRequest,
): Promise<Map<string, number>> {
  if (partition !== 'ip' || numFetchers === 1) return divideHosts(sizes, numFetchers)
  const addresses = new Map<string, string>()
  const byAddress = new Map<string, number>()
  for (const [host, size] of sizes) {
    const address = (await resolve?.(host)) ?? host
    addresses.set(host, address)
    byAddress.set(address, (byAddress.get(address) ?? 0) + size)
  }
  const parts = divideHosts(byAddress, numFetchers)
  return new Map(addresses.entries().map(([host, address]) => [host, parts.get(address) ?? 0]))
}

export interface GeneratedSegments {
  readonly lists: readonly WrittenList[]
  readonly rejected: Readonly<Record<string, number>>
  readonly held: number
}

/** The part of generate that belongs in the transaction; the caller names and publishes the segments after the commit. */
export async function generateSegments(
  session: Session,
  folder: SegmentFolder,
  request: GenerateRequest,
): Promise<GeneratedSegments> {
  const selection = await selectDue(session, request)
  const { rejected, gate } = selection
  const held = await gate?.save(session, request.now)
  const counts = { rejected, held: gate?.held ?? 0 }
  if (selection.segments.length === 0) {
    await session.begin()
    await held?.write()
    return { lists: [], ...counts }
  }
  const known = await session.all<{ name: string }>('SELECT name FROM segments')
  const lists = await writeFetchLists(
    session,
    folder,
    selection,
    request,
    CHOSEN_ENTRIES,
    known.map(({ name }) => name),
  )
  await session.begin()
  await held?.write()
  for (const [segment, { name, urls }] of lists.entries()) {
    await session.run(
      `UPDATE urls SET generated_in = ${name}::BIGINT FROM chosen c WHERE urls.rowid = c.row_id::BIGINT AND c.segment = ${segment}`,
    )
    await session.run(`INSERT INTO segments VALUES ($1, $2::BIGINT, $3::UINTEGER, 'generated')`, [
      name,
      request.now,
      urls,
    ])
  }
  return { lists, ...counts }
}
