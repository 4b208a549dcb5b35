import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'

let crawls: DemoCrawls
let dir: string
let unwanted: string[]

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
  await command(['dedup', dir])
  const sql = "select url from crawldb where status not in ('db_unfetched', 'db_fetched', 'db_notmodified')"
  unwanted = (await commandJson<{ url: string }[]>(['readdb', dir, '--sql', sql])).map(({ url }) => url)
})

afterAll(() => crawls.close())

describe('clean', () => {
  it('names every page that an index must not hold on standard output, and the numbers on the other', async () => {
    const { exitCode, stdout, stderr } = await command(['clean', dir])
    expect(exitCode).toBe(0)
    expect(stdout.trimEnd().split('\n').sort()).toEqual(unwanted.sort())
    expect(stderr).toMatch(new RegExp(`^${unwanted.length} URLs: .*1 db_duplicate`))
  })

  it('names them in a file, and only some statuses', async () => {
    const out = crawls.path('gone.txt')
    expect(await command(['clean', dir, '--status', 'duplicate', '--out', out])).toMatchObject({
      exitCode: 0,
      stdout: `1 URL in ${out}: 1 db_duplicate\n`,
      stderr: '',
    })
    expect(unwanted).toContain(readFileSync(out, 'utf8').trimEnd())
  })

  it('tells the numbers by status in one document', async () => {
    expect(await commandJson(['clean', dir])).toMatchObject({
      out: null,
      urls: unwanted.length,
      statuses: { db_duplicate: 1, db_redir_perm: expect.any(Number), db_gone: expect.any(Number) },
    })
    const out = crawls.path('all.txt')
    expect(await commandJson(['clean', dir, '--out', out])).toMatchObject({ out, urls: unwanted.length })
    expect(readFileSync(out, 'utf8').trimEnd().split('\n')).toHaveLength(unwanted.length)
  })

  it('changes nothing', async () => {
    expect((await command(['clean', dir])).stdout).toBe((await command(['clean', dir])).stdout)
  })

  it('says so when there is nothing to clean, and empties the list of the last time', async () => {
    const empty = crawls.path('empty')
    await command(['inject', empty, 'http://a.test/'])
    expect(await command(['clean', empty])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'no page to remove\n',
    })
    const out = crawls.path('all.txt')
    expect(await command(['clean', empty, '--out', out])).toMatchObject({
      exitCode: 1,
      stdout: 'no page to remove\n',
    })
    expect(readFileSync(out, 'utf8')).toBe('')
  })

  it('refuses a status that there is not', async () => {
    const { exitCode, stderr } = await command(['clean', dir, '--status', 'lost'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('lost')
  })
})
