import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson } from '../testing/command-line.ts'
import { requireS3Server } from '../testing/require-s3-server.ts'
import { type S3Fault, startS3FaultProxy } from '../testing/s3-fault-proxy.ts'
import { useS3 } from '../testing/use-s3.ts'
import { readCrawlState } from './crash/crawl-state.ts'
import { LANE_HEADER, type SmallWeb, startSmallWeb } from './crash/small-web.ts'

const QUICK = ['--delay', '0', '--email', 'test@localhost']

/** Several times what it takes: the machine may be busy. */
const TIMEOUT_MS = 600_000

describe.runIf(requireS3Server())('a crawl with segments in an object store', { timeout: TIMEOUT_MS }, () => {
  const s3 = useS3()
  let folder: string
  let web: SmallWeb

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-object-segments-'))
    web = await startSmallWeb(0)
    writeFileSync(join(folder, 'seeds'), web.seedLines.join('\n'))
  })
  afterAll(async () => {
    await web.close()
    rmSync(folder, { recursive: true })
  })

  it('ends with the same records, links, pages and index as one with local segments', async () => {
    const [plain, stored] = [join(folder, 'plain'), join(folder, 'stored')]
    const place = s3.newPlace()
    await crawlInSteps(plain, [])
    await crawlInSteps(stored, ['--segments', place])
    const wanted = await readCrawlState(plain)
    expect(wanted.segments).toHaveLength(2)
    // On another machine with a copy of the CrawlDb, all files of segments come from the store.
    const moved = join(folder, 'moved')
    cpSync(stored, moved, { recursive: true })
    rmSync(join(moved, 'segments'), { recursive: true })
    for (const dir of [stored, moved]) expect(await readCrawlState(dir)).toEqual(wanted)
    expect(await search(stored)).toEqual(await search(plain))

    for (const args of [
      ['export', 'DIR', '--out', 'OUT.jsonl'],
      ['export', 'DIR', '--format', 'parquet', '--out', 'OUT.parquet'],
      ['export', 'DIR', '--format', 'warc', '--out', 'OUT.warc'],
      ['readseg', 'DIR', '--list'],
      ['explain', 'DIR', firstUrl()],
      ['doctor', 'DIR', '--offline'],
      ['certify', 'DIR'],
    ]) {
      const results = await Promise.all([plain, moved].map((dir) => ran(dir, args)))
      expect(results[1]?.exitCode, results[1]?.stderr).toBe(results[0]?.exitCode)
    }
    expect(linesOf(join(folder, 'moved.jsonl'))).toEqual(linesOf(join(folder, 'plain.jsonl')))

    for (const dir of [plain, stored]) {
      const merged = await commandJson<{ segments: string[]; deleted: string[] }>([
        'mergesegs',
        dir,
        '--delete',
      ])
      expect(merged.deleted).toHaveLength(2)
      expect(merged.segments).toHaveLength(1)
    }
    expect((await readCrawlState(stored)).segments.map(({ pages }) => pages)).toEqual(
      (await readCrawlState(plain)).segments.map(({ pages }) => pages),
    )
    expect(readdirSync(join(s3.server.folder, place.split('/').at(-1) ?? '', '_segments'))).toHaveLength(1)
  })

  it('fetches again what is due, and parses and updates what an earlier version of the directory stored locally', async () => {
    const dir = join(folder, 'local-first')
    const seeds = join(folder, 'seeds')
    await done(['inject', dir, seeds])
    await done(['generate', dir])
    await done(['fetch', dir, '--no-parse', ...QUICK])
    // From here on in the store: the segment is put.
    const place = s3.newPlace()
    await done(['generate', dir, '--segments', place], [0, 1])
    rmSync(join(dir, 'segments'), { recursive: true })
    const [segment = ''] = (await readCrawlState(dir)).segments.keys().map(String)
    expect(segment).toBe('0')
    await done(['parse', dir])
    await done(['updatedb', dir])
    const { records } = await readCrawlState(dir)
    expect(records.some(({ status }) => status === 'db_fetched')).toBe(true)
    expect(records.some(({ status }) => status === 'db_unfetched')).toBe(true)
  })

  it('ends the same when the store is busy, connections break and responses are lost', async () => {
    const [plain, dir] = [join(folder, 'steady'), join(folder, 'faulty')]
    await crawlInSteps(plain, [])
    const proxy = await startS3FaultProxy(s3.server.endpoint)
    try {
      const seen = new Set<string>()
      const faults: Array<S3Fault | undefined> = [
        { kind: 'respond', status: 503, code: 'SlowDown' },
        undefined,
        { kind: 'lose-response' },
        undefined,
        { kind: 'cut-request', afterBytes: 100 },
        undefined,
        { kind: 'cut-response', afterBytes: 100 },
        undefined,
      ]
      let count = 0
      // The second attempt of each request succeeds.
      proxy.decide((line) => {
        if (seen.has(line)) return undefined
        seen.add(line)
        return faults[count++ % faults.length]
      })
      await withEnv({ AWS_ENDPOINT_URL: proxy.endpoint }, () =>
        crawlInSteps(dir, ['--segments', s3.newPlace()]),
      )
      expect(count).toBeGreaterThan(20)
    } finally {
      await proxy.close()
    }
    expect(await readCrawlState(dir)).toEqual(await readCrawlState(plain))
  })

  it('remembers the store, and refuses another one', async () => {
    const dir = join(folder, 'remembers')
    const place = s3.newPlace()
    await done(['crawl', dir, firstUrl(), '--rounds', '1', '--segments', `${place}/`, ...QUICK])
    expect(readdirSync(join(dir, 'segments')).length).toBeGreaterThan(0)
    rmSync(join(dir, 'segments'), { recursive: true })
    await done(['crawl', dir, '--rounds', '1', '--forget-settings', ...QUICK])
    expect((await readCrawlState(dir)).segments).toHaveLength(2)
    const other = await command(['updatedb', dir, '--segments', s3.newPlace()])
    expect(other).toMatchObject({ exitCode: 2 })
    expect(other.stderr).toContain(`the segments of ${dir} are in ${place}`)
  })

  it('says in one line what is wrong with the store, and remembers and changes nothing', async () => {
    const dir = join(folder, 'wrong')
    for (const [url, env, message] of [
      ['s3://no-such-bucket/x', {}, 'no-such-bucket'],
      [s3.newPlace(), { AWS_SECRET_ACCESS_KEY: 'wrong' }, 'AWS_SECRET_ACCESS_KEY'],
      ['s3://x', {}, 's3://'],
    ] as const) {
      const { exitCode, stderr } = await withEnv(env, () =>
        command(['crawl', dir, firstUrl(), '--segments', url]),
      )
      expect([2, 3]).toContain(exitCode)
      expect(stderr.trim().split('\n'), stderr).toHaveLength(1)
      expect(stderr).toContain(message)
      expect(existsSync(join(dir, 'segments.json'))).toBe(false)
    }
  })

  it('keeps what it fetched when the store goes away, and puts it when it is back', async () => {
    const [plain, dir] = [join(folder, 'whole'), join(folder, 'outage')]
    for (const [path, flags] of [
      [plain, []],
      [dir, ['--segments', s3.newPlace()]],
    ] as const) {
      await done(['inject', path, join(folder, 'seeds'), ...flags])
      await done(['generate', path])
    }
    await done(['fetch', plain, ...QUICK])
    const lane = ['--header', `${LANE_HEADER}: outage`]
    const request = web.nextRequestOf('outage')
    const fetching = command(['fetch', dir, ...QUICK, ...lane])
    await request
    await s3.server.kill()
    const away = await fetching
    expect(away.exitCode).toBe(3)
    const lines = away.stderr.trim().split('\n')
    expect(lines.filter((line) => line.includes('retrying until about'))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('times in a row'))).toHaveLength(1)
    expect(lines.at(-1)).toContain(s3.server.endpoint)
    expect(lines.at(-1)).toContain(`is kept in ${join(dir, 'segments')}`)
    const fetched = partsWithRows(dir)
    expect(fetched.length).toBeGreaterThan(0)
    await s3.server.restart()
    const before = web.hitsOf('outage').length
    await done(['fetch', dir, ...QUICK, ...lane], [0, 1])
    // What was written before the outage is put and not requested again.
    const urls = web.hitsOf('outage').map(({ url }) => url)
    expect(before).toBeGreaterThan(0)
    expect(urls.slice(before).length).toBeLessThan(new Set(urls).size)
    for (const path of [plain, dir]) await done(['updatedb', path])
    expect((await readCrawlState(dir)).records).toEqual((await readCrawlState(plain)).records)
  })

  async function crawlInSteps(dir: string, flags: readonly string[]): Promise<void> {
    await done(['inject', dir, join(folder, 'seeds'), ...flags])
    for (let round = 0; round < 2; round++) {
      await done(['generate', dir])
      await done(['fetch', dir, ...QUICK])
      await done(['updatedb', dir])
    }
    await done(['invertlinks', dir])
    await done(['dedup', dir])
    await done(['index', dir])
  }

  async function done(args: readonly string[], exitCodes: readonly number[] = [0]): Promise<void> {
    const { exitCode, stderr } = await command(args)
    expect(exitCodes, `${args.join(' ')}: ${stderr}`).toContain(exitCode)
  }

  async function ran(dir: string, args: readonly string[]) {
    return command(args.map((arg) => (arg === 'DIR' ? dir : arg.replace('OUT', dir))))
  }

  async function search(dir: string): Promise<unknown> {
    const { hits } = await commandJson<{ hits: Array<{ url: string }> }>([
      'search',
      dir,
      'page',
      '--limit',
      '1000',
    ])
    return hits.map(({ url }) => url).sort()
  }

  function firstUrl(): string {
    return web.seedLines[0]?.split('\t')[0] ?? ''
  }
})

function partsWithRows(dir: string): string[] {
  return readdirSync(join(dir, 'segments'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /crawl_fetch\/part-.*\.parquet$/.test(name),
  )
}

/** Without times and names of segments. */
function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .replaceAll(/"(?:fetched_at|segment)":"[^"]*",?/g, '')
    .trim()
    .split('\n')
    .sort()
}

async function withEnv<T>(env: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]))
  Object.assign(process.env, env)
  try {
    return await work()
  } finally {
    Object.assign(process.env, before)
  }
}
