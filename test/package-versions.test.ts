import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, normalize, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageVersion } from '../src/base/package-version.ts'
import { page } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'
import { requireNodeVersion, requirePackage } from '../testing/node-versions.ts'
import { packPackage } from './packed-package.ts'
import { type Run, runProgram } from './run-orbweaver.ts'

/** The packed package, as users of several versions of Node.js and TypeScript get it. `npm test` builds dist/ before. */

const ROOT = join(import.meta.dirname, '..')
const HOST = '127.0.0.1'
const INSTALL_MS = 300_000
const SUPPORTED = ['22.19.0', '24', '26']
const TOO_OLD = ['18', '20']
const TYPESCRIPT = ['5.9', '7.0']

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>
}
/** `orbweaver`, `orbweaver/url`, … */
const DOORS = Object.keys(exports)
  .filter((name) => name !== './package.json')
  .map((name) => name.replace(/^\./, 'orbweaver'))

/** Prints the number of exports of each door, and whether `import` and `require` give the same ones. */
const IMPORTS = `
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const counts = {}
for (const door of ${JSON.stringify(DOORS)}) {
  const imported = await import(door)
  const required = require(door)
  const names = Object.keys(imported).filter((name) => name !== 'default')
  if (names.length === 0 || names.some((name) => imported[name] !== required[name])) throw new Error(door)
  counts[door] = names.length
}
console.log(JSON.stringify(counts))
`

/** The name of a door in PROGRAM: `urlDoor`. */
const nameOf = (door: string) => `${door.replace(/^orbweaver\/?/, '') || 'root'}Door`

const PROGRAM = `
import { openCrawl, runSpider, spider, ConfigurationError, type Crawl } from 'orbweaver'
${DOORS.map((door) => `import * as ${nameOf(door)} from '${door}'`).join('\n')}

const titles = spider({
  name: 'titles',
  start: 'https://example.org/',
  *parse(response) {
    yield response.item({ title: response.css('title').text() })
  },
})

export async function main(dir: string): Promise<unknown[]> {
  const crawl: Crawl = await openCrawl(dir, configDoor.defineConfig({ agent: { email: 'me@example.org' } }))
  const { items, stats } = await runSpider(titles, { maxPages: 5 })
  // @ts-expect-error: it is a number. Types that are not found accept anything.
  const pages: string = stats.pages
  const normalized = urlDoor.normalizeUrl('HTTP://Example.org')
  const error: Error = new ConfigurationError('OPTION_INVALID', 'no')
  await crawl.close()
  return [items, pages, normalized.ok ? normalized.url : normalized.detail, error, ${DOORS.map(nameOf).join(', ')}]
}
`

const REQUIRING_PROGRAM = `
import orbweaver = require('orbweaver')
export const { openCrawl } = orbweaver
`

/** Of pages, in sentences: each takes another way to the files of a segment. */
const SIZES = [1, 40, 800, 2_000, 20_000]
const SITE: Readonly<Record<string, ReturnType<typeof page>>> = {
  '/': page(SIZES.map((_, i) => `<a href="/${i}">page ${i}</a>`).join(' ')),
  ...Object.fromEntries(SIZES.map((size, i) => [`/${i}`, page(textPage(i, size))])),
}

function textPage(number: number, sentences: number): string {
  const text = Array.from({ length: sentences }, (_, i) => `Silk ${number * i} is strong. `).join('')
  return `<title>Page ${number}</title><p>${text}</p>`
}

let folder: string
let archive: string
let web: MisbehavingWeb

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-versions-'))
  web = await startMisbehavingWeb()
  archive = await packPackage(folder)
}, INSTALL_MS)
afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

/** Runs a program with this version of Node.js as `node`. */
function runWith(nodeFolder: string, cwd: string, program: string, ...args: string[]): Promise<Run> {
  const path = `PATH=${[nodeFolder, process.env['PATH']].join(delimiter)}`
  // The tests have a cache of their own, and npm tells its scripts which Node.js to use.
  return runProgram('env', ['-u', 'NODE_COMPILE_CACHE', '-u', 'NODE', path, program, ...args], cwd)
}

/** Installs the archive into a clean folder. */
async function install(nodeFolder: string, project: string): Promise<void> {
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', archive, '@types/node@24']
  const installed = await runWith(nodeFolder, project, 'npm', 'install', ...flags)
  expect(installed, installed.stderr).toMatchObject({ exitCode: 0 })
  expect(installed.stderr).not.toMatch(/EBADENGINE|deprecated/)
}

/** The folder into which it is installed with this version of Node.js. */
const projectOf = (version: string) => join(folder, `node-${version}`)

describe('the archive', () => {
  let unpacked: string
  beforeAll(() => {
    unpacked = join(folder, 'package')
    spawnSync('tar', ['-xzf', archive, '-C', folder])
  })
  const listed = () =>
    readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((file) => relative(unpacked, join(file.parentPath, file.name)))
  const read = (name: string) => readFileSync(join(unpacked, name), 'utf8')

  it('has everything that README.md links to, except images', () => {
    const files = listed()
    const links = Array.from(
      read('README.md').matchAll(/(?<!!)\[[^\]]*\]\((?![a-z]+:|#)([^)#]+)/g),
      ([, to]) => normalize(to ?? ''),
    )
    expect(links.length).toBeGreaterThan(40)
    expect(links.filter((to) => !files.includes(to))).toEqual([])
  })

  it('has every page of docs/ that another one links to', () => {
    const files = listed()
    const broken = files
      .filter((name) => /^docs\/.*\.md$/.test(name))
      .flatMap((name) =>
        Array.from(read(name).matchAll(/(?<!!)\[[^\]]*\]\((?![a-z]+:|#)([^)#]+)/g), ([, to = '']) =>
          join(dirname(name), to),
        ),
      )
      .filter((to) => to.startsWith('docs/') && !files.includes(to))
    expect(broken).toEqual([])
  })

  it('has no source maps, no tests, and no types that no door needs', () => {
    const files = listed()
    expect(files.filter((name) => /\.map$|\.test\.ts$|^src\/|\/node_modules\//.test(name))).toEqual([])
    expect(files.filter((name) => /^dist\/cli\/.*\.d\.ts$/.test(name))).toEqual([])
    expect(files.filter((name) => /^\/\/# sourceMappingURL/m.test(read(name)))).toEqual([])
  })

  it('has a manifest without scripts and development packages', () => {
    const manifest = JSON.parse(read('package.json'))
    expect(Object.keys(manifest)).toEqual(
      expect.arrayContaining(['repository', 'homepage', 'bugs', 'keywords', 'license', 'engines', 'man']),
    )
    for (const key of ['scripts', 'devDependencies', 'allowScripts']) expect(manifest).not.toHaveProperty(key)
    expect(listed()).toContain(manifest.man)
  })
})

describe.each(SUPPORTED)('on Node.js %s', (version) => {
  const node = requireNodeVersion(version)
  let project: string

  it.runIf(node)('is installed without warnings about it', async () => {
    project = projectOf(version)
    await install(node ?? '', project)
  })

  it.runIf(node)('crawls, indexes and searches, and removes a page that is gone', async () => {
    const run = (...args: string[]) =>
      runWith(node ?? '', project, join(project, 'node_modules/.bin/orbweaver'), ...args)
    const succeed = async (...args: string[]) => {
      const ran = await run(...args)
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 })
      return ran.stdout
    }
    const found = async () => JSON.parse(await succeed('search', 'crawl', 'silk', '--json')).total
    expect(await run('--version')).toEqual({ exitCode: 0, stderr: '', stdout: `${packageVersion()}\n` })
    const flags = ['--delay', '0', '--email', 'test@localhost']
    web.serve(HOST, SITE)
    await succeed('crawl', 'crawl', `${web.origin(HOST)}/`, '--index', ...flags)
    expect(await found()).toBe(SIZES.length)
    const { '/1': _, ...left } = SITE
    web.serve(HOST, left)
    const again = ['/0', '/1'].flatMap((path) => ['--url', `${web.origin(HOST)}${path}`])
    await succeed('fetch', 'crawl', ...again, ...flags)
    await succeed('updatedb', 'crawl')
    await succeed('index', 'crawl')
    expect(await found()).toBe(SIZES.length - 1)
  })

  it.runIf(node)('is the same library by import and by require', async () => {
    writeFileSync(join(project, 'imports.js'), IMPORTS)
    const { stdout, stderr } = await runWith(node ?? '', project, 'node', 'imports.js')
    expect(stderr).toBe('')
    expect(Object.keys(JSON.parse(stdout))).toEqual(DOORS)
  })
})

describe.each(TOO_OLD)('on Node.js %s', (version) => {
  const node = requireNodeVersion(version)
  const sentence =
    /^(?:Error: )?orbweaver needs Node\.js 22\.19 or newer; this is v\d+\.\d+\.\d+\. Install a newer one, or use: npx -p node@24 (?:node <file>|orbweaver)$/m
  let project: string

  beforeAll(() => {
    project = join(folder, `old-${version}`)
    mkdirSync(join(project, 'node_modules'), { recursive: true })
    spawnSync('tar', ['-xzf', archive, '-C', join(project, 'node_modules')])
    spawnSync('mv', [join(project, 'node_modules/package'), join(project, 'node_modules/orbweaver')])
  })

  it.runIf(node).each(DOORS)('says which version %s needs, by import and by require', async (door) => {
    writeFileSync(join(project, 'import.mjs'), `import * as door from '${door}'\nconsole.log(door)`)
    writeFileSync(join(project, 'require.cjs'), `require('${door}')`)
    for (const file of ['import.mjs', 'require.cjs']) {
      const { exitCode, stderr, stdout } = await runWith(node ?? '', project, 'node', file)
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
      expect(stderr).toMatch(sentence)
      expect(stderr).not.toContain('SyntaxError')
    }
  })

  it.runIf(node)('says which version the command needs', async () => {
    const bin = join(project, 'node_modules/orbweaver/bin/orbweaver.js')
    const { exitCode, stderr } = await runWith(node ?? '', project, 'node', bin, '--version')
    expect({ exitCode, lines: stderr.trim().split('\n').length }).toEqual({ exitCode: 2, lines: 1 })
    expect(stderr).toMatch(sentence)
  })
})

describe.runIf(requireNodeVersion('24'))('its types', () => {
  const STRICT = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2024']

  it.each(
    TYPESCRIPT.flatMap((version) => [
      [version, 'nodenext', ['--module', 'nodenext', 'program.mts', 'program.cts', 'required.cts']] as const,
      [version, 'bundler', ['--module', 'esnext', '--moduleResolution', 'bundler', 'program.ts']] as const,
    ]),
  )('are found by TypeScript %s with module resolution %s', async (version, _, args) => {
    const typescript = requirePackage('typescript', version)
    if (typescript === undefined) return
    const project = projectOf('24')
    for (const name of ['program.ts', 'program.mts', 'program.cts'])
      writeFileSync(join(project, name), PROGRAM)
    writeFileSync(join(project, 'required.cts'), REQUIRING_PROGRAM)
    const compiler = join(typescript, 'bin/tsc')
    const checked = await runProgram('node', [compiler, ...STRICT, '--types', 'node', ...args], project)
    expect(checked).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })
})
