import {
  cpSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'

interface Document {
  readonly sound: boolean
  readonly findings: ReadonlyArray<{ check: string; state: string; message: string }>
  readonly files: number
  readonly unreadable: ReadonlyArray<{ file: string; directory: string; reason: string }>
  readonly repair?: { folder: string; parts: number; urls: number }
}

let crawls: DemoCrawls
let sound: string
let pages: string[]
let redis: RedisServer

beforeAll(async () => {
  redis = await startRedis()
  crawls = await DemoCrawls.start()
  sound = await crawls.crawl('sound')
  await command(['index', sound])
  pages = await exported(sound)
})
afterAll(async () => {
  await redis?.stop()
  await crawls?.close()
})

/** A copy of the crawl that a test may damage. */
function copy(name: string): string {
  const dir = crawls.path(name)
  cpSync(sound, dir, { recursive: true })
  return dir
}

/** The URLs of the pages that `export` writes. */
async function exported(dir: string): Promise<string[]> {
  const out = crawls.path('pages.jsonl')
  rmSync(out, { force: true })
  await command(['export', dir, '--out', out])
  const lines = readFileSync(out, 'utf8').trimEnd().split('\n')
  return lines.map((line) => (JSON.parse(line) as { url: string }).url)
}

function newest(dir: string, directory: string): string {
  return (
    globSync(join(dir, 'segments', '*', directory, '*.parquet'))
      .sort()
      .at(-1) ?? ''
  )
}

describe('doctor', () => {
  it('finds no damage in a sound crawl', async () => {
    const files = globSync(join(sound, 'segments', '*', '*', '*.parquet')).length
    const { exitCode, stdout, stderr } = await command(['doctor', sound])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toContain(`${files} files read: no damage\n`)
    expect(stdout).toMatch(/^ok +Node\.js +\d+\.\d+/)
    expect(stdout).toMatch(/^ok +site +127\.0\.0\.\d+: responds in \d+ ms; /m)
    expect(stdout).toMatch(/^\d+ checks: \d+ ok, 0 warnings, 0 problems$/m)
  })

  it.each(['crawl_fetch', 'content', 'crawl_generate'])(
    'names a truncated file of %s, and repairs the crawl so that its pages are fetched again',
    async (directory) => {
      const dir = copy(`truncated-${directory}`)
      const file = newest(dir, directory)
      const size = statSync(file).size
      truncateSync(file, size - 10)

      const found = await command(['doctor', dir])
      expect(found.exitCode).toBe(3)
      const text = found.stdout.replaceAll(/\s+/g, ' ')
      expect(text).toContain(`${file} cannot be read: `)
      expect(text).toContain(`orbweaver doctor ${dir} --repair `)

      const { repair, sound: isSound } = await commandJson<Document>(['doctor', dir, '--repair'])
      expect(isSound).toBe(true)
      expect(repair).toMatchObject({ parts: 1 })
      // Nothing was deleted.
      const part = file.split('/').at(-1) ?? ''
      expect(statSync(globSync(join(repair?.folder ?? '', '*', directory, part))[0] ?? '').size).toBe(
        size - 10,
      )
      expect(await command(['doctor', dir])).toMatchObject({ exitCode: 0 })

      const lost = pages.length - (await exported(dir)).length
      if (directory === 'crawl_generate') return expect(lost).toBe(0)
      expect(lost).toBeGreaterThan(0)
      expect(await command(['crawl', dir, '--rounds', '1', ...QUICK])).toMatchObject({ exitCode: 0 })
      expect(await exported(dir)).toEqual(expect.arrayContaining(pages))
      expect(await command(['mergesegs', dir])).toMatchObject({ exitCode: 0 })
    },
    60_000,
  )

  it('repairs a part that updatedb has not merged yet, and the same fetch list is completed', async () => {
    const dir = crawls.path('unmerged')
    const seeds = [crawls.web.url('bakery', '/'), crawls.web.url('home', '/')]
    await command(['inject', dir, ...seeds])
    await command(['generate', dir])
    expect(await command(['fetch', dir, ...QUICK])).toMatchObject({ exitCode: 0 })
    truncateSync(newest(dir, 'crawl_fetch'), 50)

    const update = await command(['updatedb', dir])
    expect(update.exitCode).toBe(3)
    expect(update.stderr).toMatch(
      /^error: \S+crawl_fetch\/part-\S+\.parquet cannot be read: .*orbweaver doctor \S+ --repair/,
    )
    expect(await commandJson<Document>(['doctor', dir, '--repair'])).toMatchObject({ sound: true })
    expect(await command(['fetch', dir, ...QUICK])).toMatchObject({ exitCode: 0 })
    expect(await command(['updatedb', dir])).toMatchObject({ exitCode: 0 })
    const sql = "select url from crawldb where status = 'db_fetched' order by url"
    const fetched = await commandJson<{ url: string }[]>(['readdb', dir, '--sql', sql])
    expect(fetched.map(({ url }) => url)).toEqual(expect.arrayContaining(seeds))
  })

  it.each([
    ['the CrawlDb', 'crawldb.duckdb', /crawldb\.duckdb|is damaged/],
    ['the search index', 'index/pages.sqlite', /pages\.sqlite|index is damaged/],
  ])('reports damage of %s, which it does not repair', async (_, name, line) => {
    const dir = copy(name.replaceAll(/\W/g, '-'))
    const file = join(dir, name)
    const { size } = statSync(file)
    const handle = openSync(file, 'r+')
    // The first blocks are left: it still opens.
    for (let at = 16_384; at < size; at += 2_048)
      writeSync(handle, Buffer.alloc(1_024, 'garbage '), 0, 1_024, at)
    const before = readFileSync(file)
    const { exitCode, stdout } = await command(['doctor', dir, '--repair'])
    expect(exitCode).toBe(3)
    expect(stdout).toMatch(line)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('finds pages whose content is missing, and repairs the crawl so that they are fetched again', async () => {
    const dir = copy('no-content')
    const file = newest(dir, 'content')
    rmSync(file)
    const { findings } = await commandJson<Document>(['doctor', dir, '--offline'])
    expect(findings.filter(({ state }) => state === 'problem')).toMatchObject([
      {
        check: 'segments',
        message: expect.stringMatching(/the content of \d+ of its \d+ pages is missing$/),
      },
    ])
    expect(await commandJson<Document>(['doctor', dir, '--repair'])).toMatchObject({ repair: { parts: 1 } })
    expect(await command(['crawl', dir, '--rounds', '1', ...QUICK])).toMatchObject({ exitCode: 0 })
    expect(await exported(dir)).toEqual(expect.arrayContaining(pages))
  })

  it('finds a deleted segment whose URLs wait for a result, and releases them', async () => {
    const dir = crawls.path('deleted-segment')
    await command(['inject', dir, crawls.web.url('bakery', '/')])
    await command(['generate', dir])
    rmSync(join(dir, 'segments'), { recursive: true })
    expect(await command(['generate', dir])).toMatchObject({ exitCode: 1 })
    const found = await commandJson<Document>(['doctor', dir, '--offline'])
    expect(found.findings.filter(({ state }) => state === 'problem')).toMatchObject([
      { check: 'CrawlDb', message: expect.stringMatching(/^segment \d{14} is not on disk/) },
    ])
    expect(await commandJson<Document>(['doctor', dir, '--repair'])).toMatchObject({ repair: { freed: 1 } })
    expect(await command(['generate', dir])).toMatchObject({ exitCode: 0 })
  })

  it('finds a segment that the CrawlDb does not know', async () => {
    const dir = copy('unknown-segment')
    const [segment = ''] = globSync(join(dir, 'segments', '*')).sort()
    cpSync(segment, join(dir, 'segments', '20200101000000'), { recursive: true })
    const { stdout } = await command(['doctor', dir, '--offline'])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      `segment 20200101000000 is not in the CrawlDb → To merge the results: orbweaver updatedb ${dir} 20200101000000`,
    )
  })

  it('checks the sites of a spider', async () => {
    const file = crawls.path('shop.mjs')
    const url = crawls.web.url('bakery', '/')
    const door = new URL('../index.ts', import.meta.url).href
    writeFileSync(
      file,
      `import { spider } from '${door}'\nexport default spider({ name: 'shop', start: '${url}', parse() {} })`,
    )
    const { exitCode, stdout } = await command(['doctor', file])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^ok +spider +shop: 1 handler, 1 start URL$/m)
    expect(stdout).toMatch(/^ok +site +127\.0\.0\.\d+: responds/m)
  })

  it('checks a Redis', async () => {
    const { findings } = await commandJson<Document>(['doctor', '--redis', redis.address])
    expect(findings.find(({ check }) => check === 'Redis version')).toMatchObject({ state: 'ok' })
    expect(findings.find(({ check }) => check === 'Redis eviction')).toMatchObject({ message: 'noeviction' })
  })

  it('says that a Redis does not run', async () => {
    const { findings } = await commandJson<Document>(['doctor', '--redis', 'redis://127.0.0.1:1/0'])
    expect(findings.at(-1)).toMatchObject({ check: 'Redis', state: 'problem' })
  })

  it('says where there is no crawl', async () => {
    expect(await command(['doctor', crawls.path('nowhere')])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'does not exist; give a crawl directory, the file of a spider, or a URL',
      ),
    })
    mkdirSync(crawls.path('empty'))
    expect(await command(['doctor', crawls.path('empty')])).toMatchObject({ exitCode: 2 })
  })
})
