import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runNode } from '../../test/run-orbweaver.ts'
import { command, commandJson } from '../../testing/command-line.ts'
import { bookShopSite, booksAt } from '../../testing/example-sites/book-shop-site.ts'
import { ExampleWeb } from '../../testing/example-sites/example-web.ts'
import { MEMBER, membersSite } from '../../testing/example-sites/members-site.ts'
import { page, reply } from '../../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../../testing/misbehaving-web.ts'
import { requireChromium } from '../../testing/require-chromium.ts'
import { SPIDER_TEMPLATES, type SpiderTemplate } from './spider-templates.ts'

const ROOT = join(import.meta.dirname, '../..')
const TEMPLATES = Object.keys(SPIDER_TEMPLATES) as SpiderTemplate[]

let web: MisbehavingWeb
let sites: ExampleWeb<'shop' | 'members'>
let folder: string

beforeAll(async () => {
  web = await startMisbehavingWeb()
  const origin = web.origin('127.0.0.1')
  const json = (value: unknown) =>
    reply({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })
  web.serve('127.0.0.1', {
    '/robots.txt': reply({
      headers: { 'content-type': 'text/plain' },
      body: `User-agent: *\nDisallow: /no\nSitemap: ${origin}/map.xml\n`,
    }),
    '/map.xml': reply({
      headers: { 'content-type': 'application/xml' },
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/b</loc></url></urlset>`,
    }),
    '/': page('<title>A</title><a href="/b">b</a> <a href="/login">login</a> <a rel="next" href="/c">c</a>'),
    '/b': page('<title>B</title><a href="/c">c</a>'),
    '/c': page('<title>C</title>'),
    '/login': page('<title>Login</title>'),
    '/app': page(
      '<title>Loading</title><div id="root"></div><script>fetch("/api").then((response) => response.json()).then(({ results }) => { document.body.innerHTML = "<h1>" + results[0].name + "</h1><a href=/c>c</a>" })</script>',
    ),
    '/api': json({ results: [{ id: 1, name: 'a' }], next: '/api/2' }),
    '/api/2': json({ results: [{ id: 'x', name: 'b' }], next: null }),
  })
  sites = await ExampleWeb.start({ shop: bookShopSite, members: membersSite })
  const urls: Partial<Record<SpiderTemplate, string>> = {
    api: `${origin}/api`,
    javascript: `${origin}/app`,
    list: `${sites.url('shop')}category/poetry`,
    login: `${sites.url('members')}login`,
    files: sites.url('shop'),
  }
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-new-'))
  for (const template of TEMPLATES) {
    const url = urls[template] ?? `${origin}/`
    await command(['new', 'spider', `my-${template}`, '--template', template, '--url', url, '--dir', folder])
  }
})

afterAll(async () => {
  await web.close()
  await sites.close()
  rmSync(folder, { recursive: true })
})

/** Spiders that the compiler accepts, and one whose mistakes it reports. */
const PLAIN_ITEMS = `import { spider } from 'orbweaver'
const start = ['https://a.example/']
export const yielded = spider({
  name: 'a',
  start,
  *parse(page) {
    yield { title: page.text('h1'), price: page.number('.price') }
    yield page.follow('/b')
  },
})
export const returned = spider({ name: 'b', start, parse: (page) => ({ title: page.text('h1') }) })
`
const WRONG_YIELDS = `import { spider } from 'orbweaver'
import { z } from 'zod'
const start = ['https://a.example/']
const item = z.object({ title: z.string() })
export const text = spider({
  name: 'a',
  start,
  item,
  *parse() {
    yield 'https://a.example/b'
  },
})
export const later = spider({
  name: 'b',
  start,
  async *parse(page) {
    yield page.item({ title: page.text('h1') })
    yield 5
  },
})
export const plain = spider({
  name: 'c',
  start,
  item,
  *parse(page) {
    yield { title: page.text('h1') }
  },
})
export const meta = spider({
  name: 'd',
  start,
  item,
  meta: { detail: z.object({ rank: z.number() }) },
  parse: () => undefined,
  handlers: { detail: (page) => page.item({ title: page.meta.rank }) },
})
`

describe('a spider that new wrote', () => {
  it('is accepted by the compiler, whatever the template', async () => {
    writeFileSync(join(folder, 'my-plain-items.ts'), PLAIN_ITEMS)
    writeFileSync(join(folder, 'wrong-yields.ts'), WRONG_YIELDS)
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: { paths: { orbweaver: [join(ROOT, 'src/index.ts')] } },
        include: ['*.ts'],
      }),
    )
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const { stdout } = await runNode([
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
      '--listFiles',
    ])
    const lines = stdout.split('\n')
    expect(lines).toContain(join(realpathSync(folder), 'my-pages.ts'))
    // What is wrong with our sources is told elsewhere.
    expect(lines.filter((line) => /my-.*error/.test(line))).toEqual([])
    // A wrong yield has one line that says what was yielded and what to yield.
    const hints = lines.filter((line) =>
      line.includes(`'yield page.item(…), page.follow(…), page.download(…) or nothing'`),
    )
    expect(hints.map((line) => /missing in type '(.*?), void/.exec(line)?.[1])).toEqual([
      'Generator<string',
      'AsyncGenerator<5 | ItemOutput<JsonObject>',
      'Generator<{ title: string; }',
    ])
    expect(lines.filter((line) => /wrong-yields.*error/.test(line))).toHaveLength(4)
    expect(stdout).toMatch(/Type 'number' is not assignable to type 'string'/)
  }, 240_000)

  const titles = (category = '') =>
    booksAt('http://shop.test/')
      .filter((book) => book.category.startsWith(category))
      .map(({ title }) => title)
  const orders = Array.from({ length: 6 }, (_, i) => `A-${1000 + i}`)
  const account = Object.entries(MEMBER).flatMap(([name, value]) => ['--arg', `${name}=${value}`])
  type Run = [SpiderTemplate, readonly string[], (readonly string[])?]
  const rendered: Run[] = requireChromium() ? [['javascript', ['a', 'C']]] : []
  it.each<Run>([
    ...rendered,
    ['pages', ['A', 'B', 'C', 'Login']],
    ['list', titles('Poetry')],
    ['crawl', ['B', 'C']],
    ['sitemap', ['B']],
    ['login', [...orders, 'Orders', 'Orders', 'Orders'], account],
    ['api', ['a', 'b']],
    ['files', ['Books', ...titles(), ...['cooking', 'poetry', 'travel'].flatMap((name) => [name, name])]],
  ])('runs as it is: %s', async (template, expected, flags = []) => {
    const { exitCode, stdout, stderr } = await runNode([
      join(ROOT, 'testing/orbweaver-process.ts'),
      ...[
        'run',
        join(folder, `my-${template}.ts`),
        '--delay',
        '0',
        '--email',
        'test@localhost',
        '--out',
        '-',
        ...flags,
        ...(template === 'files' ? ['--files', join(folder, 'stored')] : []),
      ],
    ])
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
    const items = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(items.map(({ title, name }) => title ?? name).sort()).toEqual(expected.toSorted())
    if (template !== 'files') return
    const images = items.flatMap((item) => (item['images'] as readonly unknown[] | undefined) ?? [])
    expect(images).toEqual(
      titles().map(() => expect.objectContaining({ status: 'downloaded', type: 'image/png' })),
    )
  })
})

describe('new', () => {
  it('says what to do next', async () => {
    const { exitCode, stdout } = await command(['new', 'spider', 'first', '--dir', join(folder, 'deep/er')])
    const file = join(folder, 'deep/er/first.ts')
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: `${file} was created; to try it: orbweaver run ${file} --cache --max-pages 5 --out -\n`,
    })
    expect(readFileSync(file, 'utf8')).toContain("start: ['https://example.com/']")
  })

  it('prints one document with --json', async () => {
    expect(await commandJson(['new', 'spider', 'machine', '--dir', folder])).toEqual({
      file: join(folder, 'machine.ts'),
      name: 'machine',
      template: 'pages',
    })
  })

  it('never overwrites a file', async () => {
    const file = join(folder, 'mine.ts')
    writeFileSync(file, 'mine')
    const { exitCode, stderr } = await command(['new', 'spider', 'mine', '--dir', folder])
    expect(exitCode).toBe(2)
    expect(stderr).toBe(`error: ${file} already exists: choose another name, or move the file\n`)
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  it.each([
    ['a path', ['spider', '../x'], /is not a valid spider name/],
    ['a file name', ['spider', 'x.ts'], /leave out the extension \.ts/],
    ['another thing', ['fleet', 'x'], /Allowed choices are spider/],
    ['a URL that is none', ['spider', 'x', '--url', 'nonsense'], /"nonsense" is not a URL/],
    [
      'an unknown template',
      ['spider', 'x', '--template', 'y'],
      /Allowed choices are pages, list, crawl, sitemap, login, api, files/,
    ],
  ])('refuses %s', async (_, args, message) => {
    const { exitCode, stderr } = await command(['new', ...args, '--dir', folder])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(message)
  })
})
