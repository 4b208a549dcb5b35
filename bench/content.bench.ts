/**
 * How much of the main content of pages is found, and what it costs: our extraction compared with readability and defuddle on
 * linkedom, and with trafilatura. `CONTENT_PAGES=20` sets the pages per package, `CONTENT_ONLY=orbweaver,trafilatura` chooses
 * extractors, and `CONTENT_SHOW=orbweaver` lists its worst pages.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Readability } from '@mozilla/readability'
import { Defuddle } from 'defuddle/node'
import { parseHTML } from 'linkedom'
import { contentText } from '../src/domain/extraction/content-text.ts'
import { findMainContent } from '../src/domain/extraction/find-main-content.ts'
import { scanHtml } from '../src/domain/html/scan-html.ts'
import { buildTree } from '../src/domain/selectors/document.ts'
import { installPythonEnvironment, pythonOf } from '../testing/python-environment.ts'
import { requireSite } from '../testing/real-web/real-sites.ts'
import { CONTENT_SOURCES, type ContentPage, contentPages } from './content-pages.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { versionOf } from './version-of.ts'
import { overlap } from './word-overlap.ts'

const TRAFILATURA = {
  ...{ name: 'trafilatura', requirement: 'trafilatura>=2,<3', oldestPython: 9 },
  also: ['lxml_html_clean'],
}

interface Extractor {
  readonly name: string
  /** Texts of pages, and CPU-seconds for all of them. */
  extract(pages: readonly string[]): Promise<{ readonly texts: readonly string[]; readonly seconds: number }>
}

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const perPackage = Number(process.env['CONTENT_PAGES'] ?? 12)
  const extractors = [
    inProcess('all text of the page', (html) => scanHtml(html).text, 5),
    inProcess('orbweaver', (html) => contentText(findMainContent(buildTree(html, 'html'))), 5),
    inProcess(`readability ${versionIn('@mozilla/readability')}`, withReadability),
    inProcess(`defuddle ${versionIn('defuddle')}`, withDefuddle),
    ...(await trafilaturas()),
  ]
  const only = process.env['CONTENT_ONLY']
  const chosen = extractors.filter(
    ({ name }) => only === undefined || only.split(',').some((one) => name.startsWith(one)),
  )
  const sets = CONTENT_SOURCES.flatMap((source) => {
    if (!requireSite({ ...source, packages: [source.package] })) {
      console.log(`skipped ${source.name}: could not install ${source.package}`)
      return []
    }
    return [{ source, pages: contentPages(source, perPackage) }]
  })
  await compare(
    'pages as they are',
    sets.map(({ source, pages }) => ({ name: source.name, pages })),
    chosen,
  )
  await compare(
    'pages without ids, classes, roles and the elements of sections',
    sets.map(({ source, pages }) => ({
      name: source.name,
      pages: pages.map((page) => ({ ...page, html: page.unmarked })),
    })),
    chosen,
  )
  await compare(
    'pages as they are, truth from the reST source',
    sets.flatMap(({ source, pages }) => {
      const { source: sourceOf, root } = source
      if (sourceOf === undefined) return []
      const known = pages.flatMap((page) => {
        const file = sourceOf(root, page.name)
        return existsSync(file) ? [{ ...page, truth: restText(readFileSync(file, 'utf8')) }] : []
      })
      return [{ name: source.name, pages: known }]
    }),
    chosen,
  )
}

interface PageSet {
  readonly name: string
  readonly pages: readonly ContentPage[]
}

async function compare(
  title: string,
  sets: readonly PageSet[],
  extractors: readonly Extractor[],
): Promise<void> {
  const pages = sets.flatMap((set) => set.pages)
  const inputs = pages.map(({ html }) => html)
  console.log(`\n### ${title}: ${pages.length} pages\n`)
  console.log(`| | ${sets.map(({ name }) => name).join(' | ')} | F1 | precision | recall | CPU-ms per page |`)
  console.log(`| --- |${' --- |'.repeat(sets.length + 4)}`)
  for (const { name, extract } of extractors) {
    const { texts, seconds } = await extract(inputs)
    const scores = pages.map(({ truth }, i) => overlap(truth, texts[i] ?? ''))
    const f1 = scores.map((score) => score.f1)
    const bySet = sets.map((set, i) => {
      const from = sets.slice(0, i).reduce((sum, { pages: before }) => sum + before.length, 0)
      return mean(f1.slice(from, from + set.pages.length))
    })
    const cells = [
      ...bySet,
      ...(['f1', 'precision', 'recall'] as const).map((key) => mean(scores.map((score) => score[key]))),
    ]
    const cost = (seconds * 1000) / pages.length
    console.log(`| ${name} | ${cells.map((cell) => cell.toFixed(3)).join(' | ')} | ${cost.toFixed(2)} |`)
    if (process.env['CONTENT_SHOW'] === name.split(' ')[0])
      for (const [i, score] of [...scores.entries()].sort((a, b) => a[1].f1 - b[1].f1).slice(0, 15))
        console.log(
          `    ${score.f1.toFixed(2)} p ${score.precision.toFixed(2)} r ${score.recall.toFixed(2)} ${pages[i]?.name}`,
        )
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** The best round counts. */
function inProcess(name: string, extract: (html: string) => string | Promise<string>, rounds = 1): Extractor {
  return {
    name,
    async extract(pages) {
      let texts: string[] = []
      let best = Number.POSITIVE_INFINITY
      for (let round = 0; round < rounds; round++) {
        const start = process.cpuUsage()
        texts = []
        for (const page of pages) texts.push(await extract(page))
        const { user, system } = process.cpuUsage(start)
        best = Math.min(best, (user + system) / 1e6)
      }
      return { texts, seconds: best }
    },
  }
}

function withReadability(html: string): string {
  const { document } = parseHTML(html)
  const content = new Readability(document as never).parse()?.content ?? ''
  return scanHtml(content).text
}

async function withDefuddle(html: string): Promise<string> {
  const { document } = parseHTML(html)
  const { content } = await Defuddle(document as never, 'https://example.org/')
  return scanHtml(content).text
}

async function trafilaturas(): Promise<Extractor[]> {
  const failure = await installPythonEnvironment(TRAFILATURA)
  if (failure !== undefined) {
    console.log(`skipped trafilatura: ${failure}`)
    return []
  }
  const python = pythonOf(TRAFILATURA)
  const { stdout } = spawnSync(python, ['-c', 'import trafilatura; print(trafilatura.__version__)'], {
    encoding: 'utf8',
  })
  return ['', 'recall'].map((mode) => ({
    name: `trafilatura ${stdout.trim()}${mode === '' ? '' : ', favor_recall'}`,
    async extract(pages) {
      const run = spawnSync(python, [join(import.meta.dirname, 'peers', 'trafilatura_extract.py'), mode], {
        input: pages.map((html) => `${JSON.stringify({ html })}\n`).join(''),
        encoding: 'utf8',
        maxBuffer: 1 << 30,
      })
      const results = run.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { text: string; seconds: number })
      return {
        texts: results.map(({ text }) => text),
        seconds: results.reduce((sum, { seconds }) => sum + seconds, 0),
      }
    },
  }))
}

/** The words of a reST source that readers see: without directives, options, roles and targets. */
function restText(source: string): string {
  return source
    .replace(
      /^\.\. (?:_[^\n]*:|highlight|currentmodule|index|ipython|autosummary|toctree|include|image|literalinclude)[^\n]*(?:\n[ \t]+:[^\n]*)*$/gm,
      ' ',
    )
    .replace(/^[ \t]*:[\w-]+:[^\n]*$/gm, ' ')
    .replace(/^[ \t]*\.\. [\w-]+::/gm, ' ')
    .replace(/:[\w:+-]+:`([^`<]*?)\s*(?:<[^>`]*>)?`/g, '$1')
    .replace(/`([^`<]*?)\s*<[^>`]*>`_*/g, '$1')
}

function versionIn(name: string): string {
  return versionOf(relative('.', join(import.meta.dirname, 'node_modules', name, 'package.json')))
}
