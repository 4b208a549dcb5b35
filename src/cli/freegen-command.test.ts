import { afterAll, beforeAll, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
})

afterAll(() => crawls.close())

it('makes a segment of pages that are not due, and of new ones', async () => {
  const lines = [
    crawls.web.url('bakery', '/'),
    crawls.web.url('home', '/new.html'),
    'mailto:a@b.test',
    '# comment',
  ]
  const { exitCode, stdout } = await command(['freegen', dir, '-'], lines.join('\r\n'))
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^1 new URL in .*; 1 known; rejected: 1 scheme$/m)
  const [, name = ''] = /^segment (\d+): 2 URLs; next: orbweaver fetch/m.exec(stdout) ?? []
  const rows = await commandJson<unknown[]>([
    'readdb',
    dir,
    '--sql',
    `select url from crawldb where generated_in = '${name}'`,
  ])
  expect(rows).toHaveLength(2)

  const again = await command(['freegen', dir, crawls.web.url('bakery', '/')])
  expect(again).toMatchObject({ exitCode: 1 })
  expect(again.stdout).toContain('1 URL left out: on another fetch list, or the host must wait')
  await command(['updatedb', dir, name, '--abandon'])
})

it('fetches single URLs into a crawl with fetch --url', async () => {
  const url = crawls.web.url('bakery', '/')
  const before = await commandJson<{ lastFetchTime: string }>(['readdb', dir, '--url', url])
  const fetched = await command(['fetch', dir, '--url', url, ...QUICK])
  expect(fetched).toMatchObject({ exitCode: 0 })
  expect(await command(['updatedb', dir])).toMatchObject({ exitCode: 0 })
  const after = await commandJson<{ lastFetchTime: string }>(['readdb', dir, '--url', url])
  expect(after.lastFetchTime > before.lastFetchTime).toBe(true)
})

it('rejects a URL that cannot be fetched, and a segment with --url', async () => {
  const wrong = await command(['fetch', dir, '--url', 'ftp://a.test/', ...QUICK])
  expect(wrong).toMatchObject({ exitCode: 2 })
  expect(wrong.stderr).toContain('ftp://a.test/: ')
  const both = await command(['fetch', dir, '20260101000000', '--url', 'http://a.test/', ...QUICK])
  expect(both).toMatchObject({ exitCode: 2 })
  expect(both.stderr).toContain('--url makes a segment of its own')
})

it('says that no URL was given', async () => {
  const { exitCode, stdout } = await command(['freegen', dir, '-'], '\n')
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: 'no URL was given\n' })
})
