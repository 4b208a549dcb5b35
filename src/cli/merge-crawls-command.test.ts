import { existsSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'

let crawls: DemoCrawls
let all: string
let bakery: string
let both: string

/** Number of records, by status, and of links. */
async function figures(dir: string): Promise<unknown> {
  const sql = 'select status, count(*) as n from crawldb group by all order by all'
  return commandJson(['readdb', dir, '--sql', sql])
}

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  ;[all, bakery, both] = [crawls.path('all'), crawls.path('bakery'), await crawls.crawl('both')]
  await command(['inject', bakery, crawls.web.url('bakery', '/')])
  await command(['invertlinks', both, '--internal'])
})

afterAll(() => crawls.close())

it('adds the records of other crawls, and the newest of each URL', async () => {
  const first = await commandJson<{ added: number; replaced: number }>(['mergedb', all, bakery])
  expect(first).toMatchObject({ records: 1, added: 1, replaced: 0 })
  const second = await commandJson<{ records: number; added: number }>(['mergedb', all, both])
  expect(second).toMatchObject({ added: second.records - 1, replaced: 1 })
  expect(await figures(all)).toEqual(await figures(both))
  const again = await command(['mergedb', all, both, bakery])
  expect(again.exitCode).toBe(1)
  expect(again.stdout).toMatch(/records read: 0 added, 0 replaced by a later fetch/)
})

it('can be continued', async () => {
  const { exitCode } = await command(['crawl', all, '--max-pages', '1', ...QUICK])
  expect(exitCode).toBe(0)
})

it('adds inverted links once', async () => {
  const { links } = await commandJson<{ links: number }>(['mergelinkdb', all, both])
  expect(links).toBeGreaterThan(0)
  const url = crawls.web.url('bakery', '/')
  expect(await commandJson(['readlinkdb', all, '--url', url])).toEqual(
    await commandJson(['readlinkdb', both, '--url', url]),
  )
  expect(await command(['mergelinkdb', all, both])).toMatchObject({ exitCode: 1, stdout: '0 links added\n' })
})

it('deletes records that the filters reject, with --filter', async () => {
  const filtered = crawls.path('filtered')
  const config = crawls.path('rules.config.json')
  writeFileSync(config, JSON.stringify({ filters: { rules: ['-.'] } }))
  await command(['mergedb', filtered, both, '--filter', '--config', config])
  expect(await figures(filtered)).toEqual([])
})

it.each([
  [() => crawls.path('missing'), /is not a crawl directory/],
  [() => all, /is the crawl directory itself/],
])('rejects a directory that cannot be merged', async (other, message) => {
  const { exitCode, stderr } = await command(['mergedb', all, other()])
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(message)
})

it.each(['mergedb', 'mergelinkdb'])(
  'creates and changes nothing if a source of %s is missing',
  async (name) => {
    const created = crawls.path(`${name}-created`)
    const { exitCode, stderr } = await command([name, created, both, crawls.path('missing')])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/is not a crawl directory/)
    expect(existsSync(created)).toBe(false)
  },
)
