import { existsSync, globSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = crawls.path('crawl')
  // Ten hosts of ten pages; the later a page, the better.
  const lines = Array.from({ length: 100 }, (_, i) => `http://h${i % 10}.test/${i}\tscore=${i}`)
  await command(['inject', dir, '-'], lines.join('\n'))
})

afterAll(() => crawls.close())

interface Generated {
  readonly segments: readonly string[]
  readonly selected: number
}

/** Each test gives back what it took. */
async function generated(...flags: string[]): Promise<{ selected: number; urls: string[][]; parts: number }> {
  const { segments, selected } = await commandJson<Generated>(['generate', dir, ...flags])
  const urls: string[][] = []
  for (const name of segments) {
    const sql = `select url from crawldb where generated_in = '${name}' order by score desc`
    const rows = await commandJson<{ url: string }[]>(['readdb', dir, '--sql', sql])
    urls.push(rows.map(({ url }) => url))
  }
  const parts = globSync(`${dir}/segments/${segments[0]}/crawl_generate/*.parquet`).length
  if (segments.length > 0) await command(['updatedb', dir, ...segments, '--abandon'])
  return { selected, urls, parts }
}

describe('generate', () => {
  it('takes the best first', async () => {
    expect(await generated('--top-n', '3')).toMatchObject({
      selected: 3,
      urls: [['http://h9.test/99', 'http://h8.test/98', 'http://h7.test/97']],
    })
  })

  it('keeps to --max-count for each host', async () => {
    const { selected, urls } = await generated('--max-count', '2')
    expect(selected).toBe(20)
    expect(urls[0]?.filter((url) => url.startsWith('http://h3.test/'))).toHaveLength(2)
  })

  it('takes what an SQL condition holds for', async () => {
    const { urls } = await generated('--expr', "host = 'h4.test' and score > 80")
    expect(urls).toEqual([['http://h4.test/94', 'http://h4.test/84']])
  })

  it('fills several segments, and puts a host into one part', async () => {
    const { urls, parts } = await generated('--top-n', '5', '--max-num-segments', '2', '--num-fetchers', '3')
    expect(urls.map((list) => list.length)).toEqual([5, 5])
    expect(parts).toBe(3)
  })

  it.each([
    ['--min-score', '98.5', 1],
    ['--restrict-status', 'unfetched', 100],
    ['--restrict-status', 'db_fetched', 0],
  ])('obeys %s %s', async (flag, value, selected) => {
    expect((await generated(flag, value)).selected).toBe(selected)
  })

  it('says what it made, and takes nothing twice', async () => {
    const { exitCode, stdout } = await command(['generate', dir])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^segment \d{14}: 100 URLs\n100 selected\n$/)
    expect(await command(['generate', dir])).toMatchObject({ exitCode: 1, stdout: 'nothing is due\n' })
  })

  it.each([
    [['--expr', 'score >'], 'the condition "score >" cannot be used'],
    [['--expr', 'true; delete from urls'], 'cannot be used'],
    [['--restrict-status', 'lost'], 'there is no status "lost"; there are db_unfetched, '],
    [['--top-n', '0'], 'Give a whole number, 1 or more'],
  ])('refuses %j', async (flags, message) => {
    const { exitCode, stdout, stderr } = await command(['generate', dir, ...flags])
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })
})

describe('a step of a crawl that is not there', () => {
  it.each(['generate', 'fetch', 'parse', 'updatedb', 'dedup', 'invertlinks', 'mergesegs', 'crawl'])(
    'is refused by %s, which creates nothing',
    async (name) => {
      const missing = crawls.path('missing')
      expect(await command([name, missing])).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `error: there is no crawl in ${missing}: create one with orbweaver inject\n`,
      })
      expect(existsSync(missing)).toBe(false)
    },
  )

  it.each([['readdb'], ['readseg'], ['export', '--out', 'x'], ['readlinkdb', '--url', 'http://a.test/']])(
    'is refused by %s',
    async (name, ...flags) => {
      const { exitCode, stderr } = await command([name, crawls.path('missing'), ...flags])
      expect(exitCode).toBe(2)
      expect(stderr).toMatch(/^error: there is no crawl in .*\n$/)
    },
  )
})
