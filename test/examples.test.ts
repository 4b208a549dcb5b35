import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ARTICLES, blogSite } from '../testing/example-sites/blog-site.ts'
import { bookShopSite, booksAt } from '../testing/example-sites/book-shop-site.ts'
import { ExampleWeb } from '../testing/example-sites/example-web.ts'
import { jobApiSite, jobsIn } from '../testing/example-sites/job-api-site.ts'
import { MEMBER, membersSite, ORDERS } from '../testing/example-sites/members-site.ts'
import { QUOTES, quotesSite } from '../testing/example-sites/quotes-site.ts'
import { recipeSite, recipesSince } from '../testing/example-sites/recipe-site.ts'
import { pagesOf, smallSite } from '../testing/example-sites/small-site.ts'
import { type Run, runProgram } from './run-orbweaver.ts'

/** Runs every example as a user does, against a site whose items are all known, and checks politeness with the judge. */

const ROOT = join(import.meta.dirname, '..')
const DELAY_SECONDS = 0.05

const SITES = {
  'quotes.ts': quotesSite,
  'book-shop.ts': bookShopSite,
  'blog-rules.ts': blogSite,
  'job-api.ts': jobApiSite,
  'recipe-sitemap.ts': recipeSite,
  'login.ts': membersSite,
  small: smallSite('Small', 2),
  middling: smallSite('Middling', 4),
  large: smallSite('Large', 40),
}

let web: ExampleWeb<keyof typeof SITES>
let folder: string

beforeAll(async () => {
  web = await ExampleWeb.start(SITES)
})

afterAll(() => web.close())

beforeEach(() => {
  web.judge.reset()
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-examples-'))
  return () => rmSync(folder, { recursive: true })
})

/** Runs in its own folder, with the crawl directory `crawl` and the export `items.jsonl`. */
function runExample(
  file: string,
  args: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Run> {
  const given = Object.entries(args).flatMap(([name, value]) => ['--arg', `${name}=${value}`])
  return runProgram(
    process.execPath,
    [
      ...[join(ROOT, 'bin/orbweaver.js'), 'run', join(ROOT, 'examples', file), ...given, ...flags],
      ...[
        '--dir',
        'crawl',
        '--out',
        'items.jsonl',
        '--delay',
        String(DELAY_SECONDS),
        '--email',
        'me@example.org',
      ],
    ],
    folder,
  )
}

function exported(): unknown[] {
  return readFileSync(join(folder, 'items.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)
}

/**
 * Runs the example to the end, then again, then in a new directory with handlers in two threads. The items must be exactly these, in any order, each once.
 * @param maxRepeats allowed repeated requests to one path
 */
async function expectItems(
  file: string,
  args: Readonly<Record<string, string>>,
  items: readonly object[],
  maxRepeats = 0,
): Promise<void> {
  const first = await runExample(file, args)
  expect({ ...first, stdout: '' }).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(first.stdout).toContain(`${items.length} items`)
  expect(first.stdout).not.toContain('rejected')
  // The site links to disallowed pages.
  expect(first.stdout).toMatch(/^not requested: .*robots\.txt/m)
  expect(inOrder(exported())).toEqual(inOrder(items))
  expect(web.judge.violations({ minGapMs: DELAY_SECONDS * 1000, maxRepeats })).toEqual([])
  const hits = web.judge.hits.length
  expect(hits).toBeGreaterThan(items.length / 5)

  const again = await runExample(file, args)
  expect(again).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('is finished; for a new crawl'),
  })
  expect(exported()).toHaveLength(items.length)
  expect(web.judge.hits).toHaveLength(hits)

  rmSync(join(folder, 'crawl'), { recursive: true })
  web.judge.reset()
  const threaded = await runExample(file, args, ['--handler-threads', '2', '--overwrite'])
  expect({ ...threaded, stdout: '' }).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(inOrder(exported())).toEqual(inOrder(items))
  expect(web.judge.violations({ minGapMs: DELAY_SECONDS * 1000, maxRepeats })).toEqual([])
}

function inOrder(items: readonly unknown[]): string[] {
  return items.map((item) => JSON.stringify(item, Object.keys(item as object).sort())).sort()
}

describe('the example', () => {
  it('quotes.ts follows the pagination to the last page', async () => {
    await expectItems('quotes.ts', { site: web.url('quotes.ts') }, QUOTES)
  })

  it('book-shop.ts finds every book, and writes a Parquet table of them', async () => {
    const site = web.url('book-shop.ts')
    await expectItems('book-shop.ts', { site }, booksAt(site))
    const duckdb = await (await DuckDBInstance.create()).connect()
    const table = await duckdb.runAndReadAll(`SELECT * FROM '${join(folder, 'books.parquet')}'`)
    expect(inOrder(table.getRowObjectsJson())).toEqual(inOrder(booksAt(site)))
  })

  it('blog-rules.ts finds every article by rules', async () => {
    const items = ARTICLES.map(({ title, author, published, words }) => ({ title, author, published, words }))
    await expectItems('blog-rules.ts', { site: web.url('blog-rules.ts') }, items)
  })

  it('job-api.ts searches by POST, page by page', async () => {
    const jobs = jobsIn('Turku')
    // The same URL with other request bodies.
    const portions = Math.ceil(jobs.length / 4)
    await expectItems('job-api.ts', { site: web.url('job-api.ts'), city: 'Turku' }, jobs, portions - 1)
  })

  it('recipe-sitemap.ts fetches changed pages that the sitemaps list', async () => {
    const site = web.url('recipe-sitemap.ts')
    // robots.txt is requested once for its rules, and once for its sitemaps.
    await expectItems('recipe-sitemap.ts', { site, since: '2026-03-01' }, recipesSince('2026-03-01'), 1)
  })

  it('login.ts logs in and extracts the items of members', async () => {
    await expectItems('login.ts', { site: web.url('login.ts'), ...MEMBER }, ORDERS)
  })

  it('login.ts reports a wrong password', async () => {
    const { stderr } = await runExample('login.ts', { site: web.url('login.ts'), ...MEMBER, password: 'x' })
    expect(stderr).toContain('not logged in: Name or password is wrong.')
  })

  it('many-sites.ts takes five pages of each site', async () => {
    const sites = { small: 2, middling: 4, large: 40 } as const
    const names = Object.keys(sites) as Array<keyof typeof sites>
    const list = join(folder, 'sites.txt')
    writeFileSync(list, `# sites\n${names.map((name) => web.url(name)).join('\n')}\n`)
    const titles = { small: 'Small', middling: 'Middling', large: 'Large' }
    const items = names.flatMap((name) => pagesOf(titles[name], sites[name], web.url(name), 5))
    await expectItems('many-sites.ts', { list }, items)
  })
})

const EXAMPLES = globSync('examples/*.ts', { cwd: ROOT })

it.each(EXAMPLES)('%s has less than 40 lines', (file) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1).toBeLessThan(40)
})

it('examples/README.md names every example', () => {
  const readme = readFileSync(join(ROOT, 'examples/README.md'), 'utf8')
  expect(EXAMPLES.filter((file) => !readme.includes(basename(file)))).toEqual([])
})
