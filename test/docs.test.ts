import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blogSite } from '../testing/example-sites/blog-site.ts'
import { bookShopSite } from '../testing/example-sites/book-shop-site.ts'
import { ExampleWeb } from '../testing/example-sites/example-web.ts'
import { jobApiSite } from '../testing/example-sites/job-api-site.ts'
import { membersSite } from '../testing/example-sites/members-site.ts'
import { quotesSite } from '../testing/example-sites/quotes-site.ts'
import { recipeSite } from '../testing/example-sites/recipe-site.ts'
import { page, reply } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'
import { freePort } from '../testing/prometheus-server.ts'
import { requireS3Server } from '../testing/require-s3-server.ts'
import { type S3Server, startS3Server } from '../testing/s3-server.ts'
import {
  checkedModule,
  codeBlocks,
  commandsOf,
  commentExamples,
  moduleOf,
  reExports,
  spiderOf,
  stepsOf,
} from './docs-examples.ts'
import { runNode, runOrbweaver, runProgram, runShell } from './run-orbweaver.ts'

/**
 * Every example of the README and of docs/ is run, with sites on loopback instead of https://example.org and others. The examples of one
 * page run in order, in a folder of their own.
 */

const ROOT = join(import.meta.dirname, '..')
const PAGES = ['README.md', 'examples/README.md', ...globSync('docs/**/*.md', { cwd: ROOT }).sort()].map(
  (file) => ({
    file,
    text: readFileSync(join(ROOT, file), 'utf8'),
  }),
)

const SITES = {
  ...{ quotes: quotesSite, shop: bookShopSite, members: membersSite },
  ...{ blog: blogSite, jobs: jobApiSite, recipes: recipeSite },
}

let web: MisbehavingWeb
let sites: ExampleWeb<keyof typeof SITES>
let site: string
let folder: string
/** For the server of an example, instead of 8090. */
let controlPort: number
let store: S3Server | undefined

const HAS_STORE = requireS3Server()

beforeAll(async () => {
  web = await startMisbehavingWeb()
  web.serve('127.0.0.1', {
    '/': page('<title>Example</title><a href="/next">next</a> <a href="/more">more</a>'),
    '/next': page('<title>Next</title><a href="/">back</a> <a href="/old">old</a>'),
    '/old': reply({ status: 301, headers: { location: '/' } }),
  })
  site = web.origin('127.0.0.1')
  sites = await ExampleWeb.start(SITES)
  controlPort = await freePort()
  if (HAS_STORE) store = await startS3Server()
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-docs-'))
  // As installed: `import 'orbweaver'` and `npx orbweaver` mean this package.
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/orbweaver'))
  for (const name of ['zod', '@types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
})

afterAll(async () => {
  for (const file of globSync('**/serve.pid', { cwd: folder, exclude: ['node_modules'] }))
    stopServer(join(folder, file))
  await Promise.all([web.close(), sites.close(), store?.stop()])
  rmSync(folder, { recursive: true })
})

/** An example that failed may not have stopped its server. */
function stopServer(pidFile: string): void {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The folder of a page. */
function placeOf(file: string): string {
  const place = join(folder, file)
  mkdirSync(place, { recursive: true })
  return place
}

/** The variables that a reader has set. */
function environment(): string {
  const variables = Object.entries({ TMPDIR: folder, ...store?.env })
  return `export ${variables.map(([name, value]) => `${name}='${value}'`).join(' ')}`
}

function here(example: string): string {
  return example
    .replaceAll('https://example.org', site)
    .replaceAll('127.0.0.1:8090', `127.0.0.1:${controlPort}`)
    .replace(' --control ', ` --control --port ${controlPort} `)
    .replaceAll(
      /https:\/\/(quotes|shop|members|blog|jobs|recipes)\.example\//g,
      (_, name: keyof typeof SITES) => sites.url(name),
    )
}

const EXAMPLES = PAGES.map(({ file, text }) => ({ file, steps: stepsOf(text) })).filter(
  ({ steps }) => steps.length > 0,
)

/** The commands of these pages need an object store. */
const isRunnable = ({ file }: { file: string }): boolean => HAS_STORE || file !== 'docs/object-storage.md'

describe.each(EXAMPLES.filter(isRunnable))('an example in $file', ({ file, steps }) => {
  beforeAll(() => {
    const place = placeOf(file)
    writeFileSync(
      join(place, 'orbweaver.config.json'),
      // Seeds over the control API may not name private addresses.
      '{"politeness":{"delaySeconds":0.05},"agent":{"email":"me@example.com"},"http":{"allowPrivateHosts":["127.0.0.1"]}}',
    )
    if (file.startsWith('examples/'))
      for (const name of globSync('*.ts', { cwd: join(ROOT, 'examples') }))
        writeFileSync(join(place, name), readFileSync(join(ROOT, 'examples', name)))
  })

  it.each(steps)('works: $line', async ({ files, line, printed }) => {
    const place = placeOf(file)
    for (const { name, code } of files) writeFileSync(join(place, name), here(code))
    const node = `"${process.execPath}"`
    const script = here(line)
      .replace('npx orbweaver', `${node} "${join(ROOT, 'bin/orbweaver.js')}"`)
      .replace(/^node /, `${node} `)
    const { exitCode, stdout, stderr } = await runShell(`${environment()}; ${script}`, place)
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
    if (line.includes('orbweaver run') && !line.endsWith('|| true')) {
      expect(stdout + stderr).toMatch(/ and [1-9]\d* items? in /)
      expect(stderr).not.toContain('Error')
    }
    if (printed !== undefined) expect(stdout + stderr).toContain(printed)
    if (line.includes('--json')) expect(() => JSON.parse(stdout) as unknown).not.toThrow()
  })
})

it('finds the examples', () => {
  expect(EXAMPLES.map(({ file }) => file)).toEqual([
    ...[
      'README.md',
      'examples/README.md',
      'docs/ai-use.md',
      'docs/certificate.md',
      'docs/check.md',
      'docs/coming-from-crawlee.md',
    ],
    ...[
      'docs/coming-from-scrapy.md',
      'docs/content.md',
      'docs/control-api.md',
      'docs/cycle.md',
      'docs/files.md',
      'docs/fresh.md',
      'docs/hosts-and-links.md',
      'docs/index-targets.md',
      'docs/javascript-sites.md',
      'docs/library.md',
      'docs/mcp.md',
      'docs/metrics.md',
      'docs/object-storage.md',
      'docs/search.md',
      'docs/sessions-and-proxies.md',
      'docs/spiders.md',
      'docs/traps.md',
      'docs/watching.md',
    ],
  ])
})

it('runs every file that is shown', () => {
  for (const { text } of PAGES) {
    const commands = commandsOf(text).join('\n')
    for (const { name } of codeBlocks(text)) if (name !== undefined) expect(commands).toContain(name)
  }
})

const PROGRAMS = PAGES.flatMap(({ file, text }) =>
  codeBlocks(text)
    .filter(({ language, name }) => language === 'ts' && name === undefined)
    .map(({ code }) => ({ file, code })),
)
/** Without an import it is a part of a spider. */
const isPart = ({ code }: { code: string }): boolean => !code.includes('import ')
const isConfiguration = ({ code }: { code: string }): boolean => code.includes('export default')
/** It needs a Redis with a crawl: `takeItems` has tests of its own. */
const needsRedis = ({ code }: { code: string }): boolean => code.includes('redis:')

it('names the file of every program', () => {
  const unnamed = PROGRAMS.filter(
    (program) => !isPart(program) && !isConfiguration(program) && !needsRedis(program),
  )
  expect(unnamed).toEqual([])
})

describe('a configuration in the docs', () => {
  it.each(PROGRAMS.filter((program) => !isPart(program) && isConfiguration(program)))(
    'is accepted: $file',
    async ({ code }) => {
      const config = join(folder, 'orbweaver.config.ts')
      writeFileSync(config, code)
      const { exitCode, stderr } = await runOrbweaver(['check', '--config', config, `${site}/`])
      expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
    },
  )
})

describe('the parts of spiders in the docs', () => {
  const PARTS = PROGRAMS.filter(isPart).map(({ code }, index) => ({ name: `part-${index}.ts`, code }))

  beforeAll(() => {
    const place = placeOf('parts')
    for (const { name, code } of PARTS) writeFileSync(join(place, name), here(spiderOf(code)))
  })

  it('make spiders that work', async () => {
    const program = join(placeOf('parts'), 'run-parts.ts')
    writeFileSync(program, RUN_PARTS)
    const files = PARTS.map(({ name }) => `./${name}`)
    const { stdout, stderr } = await runProgram(process.execPath, [program, ...files], placeOf('parts'))
    const results = stdout.split('\n').filter((line) => line !== '')
    expect({ results: results.filter((line) => !line.startsWith('ok ')), stderr }).toEqual({
      results: [],
      stderr: expect.not.stringContaining('Error'),
    })
    expect(results).toHaveLength(PARTS.length)
  })
})

/** The modules of the package, and the examples in the doc comments of what they export. */
const DOORS = ['index', 'crawl', 'spider', 'config', 'url', 'robots', 'page', 'politeness', 'http']
const EXPORTED = uniqueBy(
  DOORS.flatMap(
    (door) =>
      reExports(readFileSync(join(ROOT, 'src', `${door}.ts`), 'utf8')).map((exported) => ({
        ...exported,
        module: DOORS.indexOf(door) < 4 ? 'orbweaver' : `orbweaver/${door}`,
      })),
    // A class that one module exports as a type may be a value of another.
  ).sort((a, b) => Number(a.isType) - Number(b.isType)),
  ({ name }) => name,
)
const COMMENT_EXAMPLES = uniqueBy(EXPORTED, ({ file }) => file).flatMap(({ file }) =>
  commentExamples(readFileSync(join(ROOT, 'src', file), 'utf8')).map((code) => ({
    file: basename(file, '.ts'),
    code,
  })),
)

function uniqueBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): Value[] {
  return [...new Map(values.toReversed().map((value) => [keyOf(value), value])).values()].toReversed()
}

it('finds the examples of doc comments', () => {
  expect(COMMENT_EXAMPLES.length).toBeGreaterThan(120)
})

it('has an example for every exported function and class, errors excepted', () => {
  const without = EXPORTED.filter(({ name, file, isType }) => {
    const [, comment = '', error] =
      new RegExp(
        `(/\\*\\*(?:(?!\\*/).)*\\*/\\n)?export (?:async )?(?:function\\*?|class) ${name}\\b( extends CrawlError)?`,
        's',
      ).exec(readFileSync(join(ROOT, 'src', file), 'utf8')) ?? []
    return !isType && comment !== '' && error === undefined && !comment.includes('@example')
  })
  expect(without).toEqual([])
})

it('states true results in the examples of doc comments', async () => {
  const stating = COMMENT_EXAMPLES.filter(({ code }) => / \/\/ → /.test(code))
  expect(stating.length).toBeGreaterThan(40)
  const place = placeOf('results')
  const names = stating.map(({ file, code }, number) => {
    const name = `${file}-${number}.ts`
    writeFileSync(join(place, name), checkedModule(moduleOf(code, EXPORTED)))
    return name
  })
  writeFileSync(join(place, 'all.ts'), names.map((name) => `await import('./${name}')`).join('\n'))
  const { exitCode, stderr } = await runNode([join(place, 'all.ts')])
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
})

it('has only examples that compile', async () => {
  // A page may show a file again with other contents: each version is checked, with the files shown before it.
  for (const [index, { text }] of PAGES.entries()) {
    const shown = new Map<string, string>()
    for (const [number, { name, code }] of codeBlocks(text).entries()) {
      if (name === undefined) continue
      shown.set(name, code)
      const place = join(placeOf('shown'), `${index}-${number}`)
      mkdirSync(place, { recursive: true })
      for (const [file, content] of shown) writeFileSync(join(place, file), content)
    }
  }
  for (const [number, example] of COMMENT_EXAMPLES.entries())
    writeFileSync(join(placeOf('comments'), `${example.file}-${number}.ts`), moduleOf(example.code, EXPORTED))
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        ...{ strict: true, module: 'nodenext', target: 'es2024', lib: ['es2024', 'esnext'], types: ['node'] },
        ...{ noEmit: true, skipLibCheck: true, preserveSymlinks: false, allowImportingTsExtensions: true },
        // The sources need it.
        exactOptionalPropertyTypes: true,
        paths: { orbweaver: [join(ROOT, 'src/index.ts')], 'orbweaver/*': [join(ROOT, 'src/*.ts')] },
      },
      include: ['shown/*/*.ts', 'parts/part-*.ts', 'comments/*.ts'],
    }),
  )
  const { exitCode, stdout } = await runNode([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder])
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
})

/** Runs spiders one after the other: one process for all of them is quicker than one for each. */
const RUN_PARTS = `
import { runSpider } from 'orbweaver'

for (const file of process.argv.slice(2)) {
  const messages: string[] = []
  const { default: part } = await import(file)
  const { stats, ended } = await runSpider(part, {
    settings: { agent: { email: 'me@example.com' }, politeness: { delaySeconds: 0.01 } },
    maxPages: 6,
    files: 'part-files',
    onMessage: (message) => messages.push(message),
  })
  const isWell = messages.length === 0 && stats.requests > 0 && ended !== 'interrupted'
  process.stdout.write(isWell ? \`ok \${file}\\n\` : \`\${file}: \${ended} \${JSON.stringify({ stats, messages })}\\n\`)
}
`
