import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { page, reply } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'
import { runOrbweaver } from './run-orbweaver.ts'

const ROBOTS = `User-agent: *
Disallow: /private
Content-Signal: search=yes
Content-Usage: /closed/ train-ai=n
`

let web: MisbehavingWeb
let folder: string
let dir: string
let site: string

beforeAll(async () => {
  web = await startMisbehavingWeb({ addresses: 2 })
  web.serve('127.0.0.1', {
    '/robots.txt': reply({ headers: { 'content-type': 'text/plain' }, body: ROBOTS }),
    '/': page('<title>Home</title><a href="/closed/1">1</a><a href="/noai">2</a><a href="/tdm">3</a>'),
    '/closed/1': page('<title>Closed</title>closed'),
    '/noai': page('<title>No AI</title><meta name="robots" content="noai">text'),
    '/tdm': reply({
      headers: { 'content-type': 'text/html', 'tdm-reservation': '1' },
      body: '<title>TDM</title>text',
    }),
  })
  site = web.origin('127.0.0.1')
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-ai-use-'))
  dir = join(folder, 'crawl')
})

afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

it('stores the preferences of each page, whether it is parsed at once or later', async () => {
  const agent = ['--delay', '0', '--email', 'test@localhost']
  for (const args of [
    ['inject', dir, `${site}/`],
    ['generate', dir],
    ['fetch', dir, '--no-parse', ...agent],
    ['parse', dir],
    ['updatedb', dir],
    ['crawl', dir, ...agent],
  ])
    expect(await runOrbweaver(args)).toMatchObject({ exitCode: 0 })
  // Each process requests robots.txt; there is one request for each page.
  expect(web.judge.verdicts().get('127.0.0.1')).toMatchObject({ hits: 6 })
})

it('writes them to exports, and leaves out pages that refuse a use', async () => {
  const out = join(folder, 'all.jsonl')
  await runOrbweaver(['export', dir, '--out', out])
  const pages = readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Exported)
  const uses = pages.map(({ url, ai_use: { statements: _, ...stated } }) => [new URL(url).pathname, stated])
  expect(Object.fromEntries(uses)).toEqual({
    '/': { search: 'allow' },
    '/closed/1': { search: 'allow', train: 'disallow' },
    '/noai': { search: 'allow', train: 'disallow', input: 'disallow' },
    '/tdm': { search: 'allow', train: 'disallow', input: 'disallow' },
  })
  const excluded = {
    'train refused by Content-Usage in robots.txt': 1,
    'train refused by noai in meta': 1,
    'train refused by tdm-reservation in header': 1,
  }
  for (const format of ['jsonl', 'parquet', 'warc', 'markdown']) {
    const args = ['export', dir, '--format', format, '--out', join(folder, `x-${format}`), '--json']
    const { stdout } = await runOrbweaver([...args, '--exclude-refused', 'train'])
    expect(JSON.parse(stdout)).toMatchObject({ pages: 1, excluded })
  }
  const text = await runOrbweaver(['export', dir, '--out', out, '--exclude-refused', 'input,search'])
  expect(text.stdout).toContain('2 pages in ')
  expect(text.stdout).toContain('2 pages excluded:\n  1  input refused by noai in meta\n')
  expect(await runOrbweaver(['export', dir, '--out', out, '--exclude-refused', 'cooking'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Give one or more of train, input, search, images.'),
  })
})

it('shows them', async () => {
  const explained = await runOrbweaver(['explain', dir, `${site}/closed/1`])
  expect(explained.stdout).toContain(
    'ai-use   train refused: Content-Usage: /closed/ train-ai=n (robots.txt)\n',
  )
  const checked = await runOrbweaver(['check', `${site}/tdm`, '--email', 'test@localhost'])
  expect(checked.stdout).toMatch(/^ai-use +search allowed: Content-Signal: search=yes \(robots.txt\)$/m)
  expect(checked.stdout).toContain('train refused: tdm-reservation: 1 (header)')
})

describe('with --ai-use-files', () => {
  const agent = ['--delay', '0', '--email', 'test@localhost', '--ai-use-files']
  const files = { '/ai.txt': 'User-Agent: *\nDisallow: *.html\n' }
  let other: string

  beforeAll(() => {
    const rules = [
      { location: '/open/', 'tdm-reservation': 0 },
      { location: '/', 'tdm-reservation': 1 },
    ]
    web.serve('127.0.0.2', {
      '/': page('<title>Home</title><a href="/open/data.txt">data</a>'),
      '/open/data.txt': reply({ headers: { 'content-type': 'text/plain' }, body: 'data' }),
      '/ai.txt': reply({ headers: { 'content-type': 'text/plain' }, body: files['/ai.txt'] }),
      '/.well-known/tdmrep.json': reply({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rules),
      }),
    })
    other = web.origin('127.0.0.2')
  })

  it('reads ai.txt and tdmrep.json once per host, and stores their statements per page', async () => {
    const crawl = join(folder, 'with-files')
    expect(await runOrbweaver(['crawl', crawl, `${other}/`, ...agent])).toMatchObject({ exitCode: 0 })
    const paths = web.judge.hits.filter(({ host }) => host === '127.0.0.2').map(({ path }) => path)
    expect(paths).toEqual(['/robots.txt', '/ai.txt', '/.well-known/tdmrep.json', '/', '/open/data.txt'])
    const out = join(folder, 'with-files.jsonl')
    const exported = await runOrbweaver(['export', crawl, '--out', out, '--exclude-refused', 'train'])
    expect(exported.stdout).toContain('1 page excluded:\n  1  train refused by Disallow in ai.txt\n')
    const [
      {
        url,
        ai_use: { statements: _, ...uses },
      } = { url: '', ai_use: { statements: [] } },
      ...more
    ] = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Exported)
    expect({ path: new URL(url).pathname, uses, more }).toEqual({
      ...{ path: '/open/data.txt', more: [] },
      uses: { train: 'allow', input: 'allow' },
    })
    const explained = await runOrbweaver(['explain', crawl, `${other}/`])
    expect(explained.stdout).toContain('ai-use   train refused: Disallow: *.html (ai.txt)\n')
    expect(explained.stdout).toContain('input refused: tdm-reservation: 1 (location: /) (tdmrep.json)\n')
    expect(await runOrbweaver(['certify', crawl])).toMatchObject({ exitCode: 0 })
  })

  it('shows them in check', async () => {
    const { stdout } = await runOrbweaver(['check', `${other}/`, ...agent.slice(2)])
    expect(stdout).toContain('train refused: Disallow: *.html (ai.txt)')
    expect(stdout).toContain('train refused: tdm-reservation: 1 (location: /) (tdmrep.json)')
  })
})

interface Exported {
  readonly url: string
  readonly ai_use: { readonly statements: unknown }
}
