import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { headingSlug } from '../../site/heading-slug.ts'
import { command } from '../../testing/command-line.ts'
import { configKeys } from '../adapters/config/config-keys.ts'
import { Crawl } from '../wiring/open-crawl.ts'
import { COMMANDS } from './commands.ts'

/** The pages that people read, compared with the program. test/docs.test.ts runs their examples. */

const ROOT = join(import.meta.dirname, '../..')
const PAGES = globSync(
  [
    '*.md',
    'docs/**/*.md',
    'deploy/**/*.md',
    'examples/*.md',
    'bench/*.md',
    'bench/*/README.md',
    'testing/*.md',
  ],
  { cwd: ROOT },
)
  .sort()
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))

it('names only commands and flags that exist', async () => {
  const flags = new Map<string, Set<string>>()
  for (const { name } of COMMANDS) {
    const { stdout } = await command([name, '--help'])
    flags.set(name, new Set(stdout.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g)))
  }
  const unknown: string[] = []
  for (const { file, text } of PAGES.filter(({ file }) => file !== 'docs/commands.md'))
    for (const [, name = '', given = ''] of text.matchAll(/orbweaver ([a-z][a-z-]*)((?: [^\n`|;&#]*)?)/g))
      for (const [flag] of flags.has(name) ? given.matchAll(/(?<![\w-])--[a-zA-Z][\w-]*/g) : [])
        if (flags.get(name)?.has(flag) === false) unknown.push(`${file}: ${name} ${flag}`)
  expect(unknown).toEqual([])
})

it('names only keys of the configuration that exist', () => {
  const keys = configKeys().flatMap(({ path }) =>
    path.split('.').map((_, i, names) => names.slice(0, i + 1).join('.')),
  )
  const known = new Set([...keys, ...SPIDER_LIMITS.map((name) => `limits.${name}`)])
  const sections = new Set(keys.filter((key) => keys.some((other) => other.startsWith(`${key}.`))))
  const unknown: string[] = []
  for (const { file, text } of PAGES.filter(({ file }) => !OTHER_NAMES.includes(file)))
    for (const [, key = ''] of text.matchAll(/`([a-z][A-Za-z]+\.[a-zA-Z.]+)`/g))
      if (sections.has(key.split('.', 1).join()) && !known.has(key) && !/\.(?:json|yaml|ts)$/.test(key))
        unknown.push(`${file}: ${key}`)
  expect(unknown).toEqual([])
})

/** Limits of a spider, which are not keys of a configuration file. */
const SPIDER_LIMITS = [
  ...['depth', 'maxPages', 'maxPagesPerHost', 'maxItems', 'maxTimeSeconds'],
  ...['handlerSeconds', 'handlerMemoryMb', 'maxHandlerErrorsInRow'],
]

/** Pages with names of other programs, and with fields of the control API. */
const OTHER_NAMES = ['docs/coming-from-nutch.md', 'docs/control-api-reference.md']

it('lists every method of a crawl in docs/library.md', () => {
  const methods = Object.entries(Object.getOwnPropertyDescriptors(Crawl.prototype)).flatMap(
    ([name, { value }]) => (typeof value === 'function' && name !== 'constructor' ? [name] : []),
  )
  const { text = '' } = PAGES.find(({ file }) => file === 'docs/library.md') ?? {}
  expect(methods).toContain('inject')
  expect(methods.filter((name) => !text.includes(`| \`${name}(`))).toEqual([])
})

it('has only links whose file and heading exist', () => {
  const broken: string[] = []
  for (const { file, text } of PAGES)
    for (const [, target = ''] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const found = path === '' ? file : relative(ROOT, join(ROOT, dirname(file), path))
      const isThere =
        existsSync(join(ROOT, found)) &&
        (anchor === undefined || !found.endsWith('.md') || anchorsOf(found).includes(anchor))
      if (!isThere) broken.push(`${file}: ${target}`)
    }
  expect(broken).toEqual([])
})

it('names only files that exist', () => {
  const missing: string[] = []
  for (const { file, text } of PAGES.filter(({ file }) => file !== 'CHANGELOG.md'))
    for (const [, path = ''] of text.matchAll(
      /`((?:src|test|testing|scripts|bench|deploy|schemas)\/[\w./*-]+)`/g,
    ))
      if (globSync(path, { cwd: ROOT }).length === 0) missing.push(`${file}: ${path}`)
  expect(missing).toEqual([])
})

/**
 * Measured rates, ratios and sizes. Generated pages, the changelog and calculations, whose page has the measured
 * constants, are left out.
 */
const MEASURED =
  /\d[\d,]* pages per (?:CPU-)?second|[\d.]+ times as (?:many|much|fast|long)|\b(?:takes?|needs|needed|had) [\d.,]+ (?:to [\d.,]+ )?(?:bytes|[kMG]i?B|µs|ms)\b/
const CALCULATIONS = ['docs/growing.md', 'docs/scale.md', 'docs/configuration.md']

it('dates every measured figure in its section', () => {
  const undated: string[] = []
  for (const { file, text } of PAGES.filter(({ file }) =>
    /^(?:README|docs\/[^/]+|deploy\/.+|examples\/.+)\.md$/.test(file),
  ))
    for (const section of CALCULATIONS.includes(file) ? [] : withoutCode(text).split(/^(?=## )/m)) {
      const [figure] = MEASURED.exec(section.replaceAll(/\s+/g, ' ')) ?? []
      if (figure !== undefined && !/\b20\d\d-\d\d-\d\d\b/.test(section)) undated.push(`${file}: ${figure}`)
    }
  expect(undated).toEqual([])
})

/** The anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  const seen = new Map<string, number>()
  return Array.from(
    withoutCode(readFileSync(join(ROOT, file), 'utf8')).matchAll(/^#+ (.*)$/gm),
    ([, heading = '']) => {
      const slug = headingSlug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
      const count = seen.get(slug) ?? 0
      seen.set(slug, count + 1)
      return count === 0 ? slug : `${slug}-${count}`
    },
  )
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '')
}
