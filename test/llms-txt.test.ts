import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { page, reply } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'
import { runOrbweaver } from './run-orbweaver.ts'

const text = (body: string) => reply({ headers: { 'content-type': 'text/plain' }, body })

let web: MisbehavingWeb
let folder: string
let site: string

beforeAll(async () => {
  web = await startMisbehavingWeb()
  web.serve('127.0.0.1', {
    '/robots.txt': text('User-agent: *\nDisallow: /private\n'),
    '/': page('<title>Home</title><a href="/linked">linked</a>'),
    '/linked': page('<title>Linked</title>'),
    '/llms.txt': text(
      '# Site\r\n\r\n> About it\r\n\r\n- [Guide](/guide): start here\r\n- [All](llms-full.txt)\r\n- [No](/private)\r\n- [Else](http://other.test/)\r\n',
    ),
    '/llms-full.txt': text('# All of it\n\n[Appendix](appendix)\n'),
    '/guide': page('<title>Guide</title>'),
    '/appendix': page('<title>Appendix</title>'),
  })
  site = web.origin('127.0.0.1')
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-llms-'))
})

afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

const AGENT = ['--delay', '0', '--email', 'test@localhost']

it('follows the links of llms.txt with --llms-txt, and records where they were found', async () => {
  const dir = join(folder, 'crawl')
  const plain = await runOrbweaver(['crawl', join(folder, 'plain'), `${site}/`, ...AGENT, '--json'])
  expect(JSON.parse(plain.stdout)).toMatchObject({ pages: 2 })
  const crawled = await runOrbweaver(['crawl', dir, `${site}/`, '--llms-txt', ...AGENT, '--json'])
  expect(JSON.parse(crawled.stdout)).toMatchObject({ pages: 6, ended: 'nothing due' })
  const explain = async (path: string) => (await runOrbweaver(['explain', dir, `${site}${path}`])).stdout
  expect(await explain('/llms.txt')).toContain(`found    link on ${site}/ (`)
  expect(await explain('/guide')).toContain(`found    link on ${site}/llms.txt (`)
  expect(await explain('/appendix')).toContain(`found    link on ${site}/llms-full.txt (`)
  expect(await explain('/private')).toContain('robots.txt: line 2: Disallow: /private')
  const other = await runOrbweaver(['explain', dir, 'http://other.test/'])
  expect(other.stdout).toContain('rejected by scope: other.test is not a seed host')
})

it('is a start of a spider', async () => {
  const file = join(folder, 'spider.ts')
  writeFileSync(
    file,
    `import { spider } from '${join(import.meta.dirname, '../dist/index.js')}'
    export default spider({
      name: 'llms',
      sitemap: { urls: ['${site}/llms.txt'] },
      parse: async function* (page) { yield page.item({ title: page.text('title') }) },
    })`,
  )
  const run = await runOrbweaver(['run', file, ...AGENT, '--out', '-'])
  expect(run.exitCode, run.stderr).toBe(0)
  const titles = run.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { title: string }).title)
  expect(titles.sort()).toEqual(['Appendix', 'Guide'])
})
