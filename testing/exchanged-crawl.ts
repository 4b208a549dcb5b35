import fc from 'fast-check'
import type { CrawlStores, TestCrawl } from './crawl-directory.ts'
import { writeSegmentPart } from './segment-parts.ts'
import { fetchedPage } from './segments.ts'

/** Fills every table of a CrawlDb, with odd texts and values, by steps of the cycle. */
export async function fillEveryTable<Stores extends CrawlStores>(crawl: TestCrawl<Stores>): Promise<void> {
  const seeds = fc.sample(seedArbitrary, { numRuns: 200, seed: 15 })
  await crawl.inject(seeds)
  const [list] = (await crawl.generate({ topN: 100 })).segments
  const segment = list?.name ?? ''
  const now = crawl.clock.now()
  const listed = [...(await crawl.db.findAll(seeds.map(({ url }) => url))).values()]
    .filter(({ generatedIn }) => generatedIn === segment)
    .map(({ url }) => url)
    .sort()
  const fetch = listed.map((url, i) => ({
    ...fetchedPage(url, `text ${i % 10}`, now + i).fetch,
    signature: (i % 10).toString(16).padStart(32, '0f'),
    metadata: { 'Content-Type': 'text/html; "ä"\n' },
    ...(i % 7 === 0 && {
      status: 'fetch_gone' as const,
      protocolStatus: 'NOTFOUND' as const,
      httpStatus: 404,
    }),
    ...(i % 11 === 1 && {
      ...{ status: 'fetch_retry' as const, protocolStatus: 'RETRY' as const, httpStatus: 429 },
      ...{ retryAt: now + 86_400_000, reason: "it's busy" },
    }),
    dropped: { scope: i },
    validators: { etag: `"é${i}"`, lastModified: 'Mon' },
  }))
  const pages = listed.map((url) => ({
    url,
    outlinks: listed.slice(0, 5),
    anchors: ['a', 'ä\t"', "'", '\\', ''],
  }))
  const links = listed.map((fromUrl, i) => ({ fromUrl, url: `http://new${i % 9}.test/`, score: 0.1 }))
  await writeSegmentPart(crawl.segmentPath(segment), {
    fetch,
    pages,
    links: links.map((link) => ({ ...link, kind: 'link' })),
  })
  await crawl.update([segment])
  await crawl.db.markDuplicates()
  await crawl.directory.links.invert({ segments: [segment] })
  const { indexLedger } = crawl.directory
  // One index that is complete, and one whose run did not finish.
  for (const target of ['complete', 'unfinished']) {
    const request = { all: true, content: true, maxAnchors: 10, rules: '' }
    const settled: { url: string; inputs: string; indexed: boolean }[] = []
    for await (const batch of indexLedger.changes(target, request))
      for (const { url, inputs } of batch) settled.push({ url, inputs, indexed: url.length % 2 === 0 })
    await indexLedger.settle(target, settled)
    if (target === 'complete') await indexLedger.finish(target, true)
  }
  await crawl.generate({ topN: 10 })
}

/** The rows of all tables that engines exchange, and of the view `crawldb`, in an order that is the same for all engines. */
export async function allTables({ reader, db }: CrawlStores): Promise<unknown> {
  const tables = await Promise.all(
    ['crawldb', ...Object.keys(SHARED)].map(async (table) => {
      const columns = SHARED[table]?.join(', ') ?? '*'
      const { columns: names, rows } = await reader.sql(`SELECT ${columns} FROM ${table}`)
      return [table, names, rows.map((row) => JSON.stringify(row)).sort()]
    }),
  )
  return { tables, segments: await db.segments(), seeds: await db.seeds() }
}

/** Columns of the tables that `readdb --sql` reads on all engines. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  hosts: ['host', 'domain', 'not_before', 'wait_reason'],
  seed_hosts: ['host', 'url'],
  folded_parts: ['segment', 'part'],
  links: ['from_url', 'to_url', 'anchor', 'segment'],
  indexed_pages: ['target', 'url', 'CAST(inputs AS VARCHAR(20)) AS inputs', 'indexed'],
  segments: ['name', 'created_at', 'urls', 'state'],
  drops: ['reason', 'drops'],
  unfinished_indexes: ['target'],
}

/** Seeds with odd characters, on few hosts. */
export const seedArbitrary = fc.record({
  url: fc
    .tuple(fc.nat(20), fc.nat(100_000), fc.string({ unit: 'grapheme', maxLength: 20 }))
    .map(([host, path, query]) => new URL(`http://h${host}.test/${path}?${encodeURIComponent(query)}`).href),
  score: fc.float({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e6 }),
  metadata: fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' })),
})
