import {
  cpSync,
  globSync,
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

interface Document {
  readonly sound: boolean
  readonly files: number
  readonly unreadable: ReadonlyArray<{ file: string; directory: string; reason: string }>
  readonly repair?: { folder: string; parts: number; urls: number }
}

let crawls: DemoCrawls
let sound: string
let pages: string[]

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  sound = await crawls.crawl('sound')
  await command(['index', sound])
  pages = await exported(sound)
})
afterAll(() => crawls.close())

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
    expect(await command(['doctor', sound])).toEqual({
      exitCode: 0,
      stdout: `${files} segment files and 2 databases read: no damage\n`,
      stderr: '',
    })
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
      expect(found.stdout).toContain(`${file} cannot be read: `)
      expect(found.stdout).toContain(`orbweaver doctor ${dir} --repair\n`)

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

  it('says where there is no crawl', async () => {
    writeFileSync(crawls.path('file'), '')
    expect(await command(['doctor', crawls.path('nowhere')])).toMatchObject({ exitCode: 2 })
  })
})
