/**
 * Language identification on real pages of Debian packages whose folders or names tell the language: accuracy, CPU time per page and time to
 * load of the detectors on npm. The pages are read as the crawler reads them. Packages that are not installed are left out.
 */
import { globSync, readFileSync } from 'node:fs'
import { decodeText } from '../src/domain/content/decode-text.ts'
import { primaryLanguage } from '../src/domain/content/format-reader.ts'
import { scanHtml } from '../src/domain/html/scan-html.ts'
import { machineFacts, machineText } from './machine-facts.ts'

/** Patterns of files; the group of the expression is the language. */
const PACKAGES: Readonly<Record<string, readonly [string, RegExp]>> = {
  'apache2-doc': ['/usr/share/doc/apache2-doc/manual/*/**/*.html', /manual\/([a-z]{2})(?:-[a-z]+)?\//],
  'installation-guide-amd64': [
    '/usr/share/doc/installation-guide-amd64/*/*.html',
    /amd64\/([a-z]{2})(?:_[A-Z]+)?\//,
  ],
  'debian-reference-*': ['/usr/share/debian-reference/*.html', /\.([a-z]{2})(?:-[a-z]+)?\.html$/],
}
const PAGES_PER_LANGUAGE = 30
const LENGTHS = [100, 300, 1_000, 4_000]

interface LabelledPage {
  readonly language: string
  readonly text: string
}

interface Detector {
  readonly name: string
  readonly load: () => Promise<(text: string) => string>
}

const DETECTORS: readonly Detector[] = [
  ...(['extrasmall', 'small', 'medium', 'large'] as const).map((size) => ({
    name: `eld/${size}`,
    load: async () => {
      const { eld } = (await import(`eld/${size}`)) as { eld: { detect(text: string): { language: string } } }
      return (text: string) => eld.detect(text).language
    },
  })),
  ...(['tinyld', 'tinyld/light', 'tinyld/heavy'] as const).map((name) => ({
    name,
    load: async () => ((await import(name)) as { detect(text: string): string }).detect,
  })),
  ...(['franc-min', 'franc'] as const).map((name) => ({
    name,
    load: async () => {
      const { franc } = (await import(name)) as { franc(text: string): string }
      return (text: string) => TWO_LETTERS[franc(text)] ?? ''
    },
  })),
]

/** franc tells languages by three letters. */
const TWO_LETTERS: Readonly<Record<string, string>> = {
  ...{ cat: 'ca', ces: 'cs', dan: 'da', deu: 'de', ell: 'el', eng: 'en', spa: 'es', fra: 'fr', ind: 'id' },
  ...{ ita: 'it', jpn: 'ja', kor: 'ko', nld: 'nl', pol: 'pl', por: 'pt', ron: 'ro', rus: 'ru', swe: 'sv' },
  ...{ tur: 'tr', vie: 'vi', cmn: 'zh' },
}

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const pages = labelledPages()
  const languages = new Set(pages.map(({ language }) => language))
  console.log(`${pages.length} pages in ${languages.size} languages: ${[...languages].sort().join(' ')}\n`)
  console.log(
    `| detector | ${LENGTHS.map((chars) => `${chars} characters`).join(' | ')} | CPU-ms per page | load, ms |`,
  )
  for (const { name, load } of DETECTORS) {
    const startedAt = performance.now()
    const detect = await load()
    detect('the first text')
    const loadMs = performance.now() - startedAt
    const shares = LENGTHS.map((chars) => accuracy(detect, pages, chars))
    const cpu = process.cpuUsage()
    for (const { text } of pages) detect(text.slice(0, 4_000))
    const { user, system } = process.cpuUsage(cpu)
    const figures = [
      ...shares.map((share) => `${(100 * share).toFixed(1)} %`),
      ((user + system) / 1000 / pages.length).toFixed(2),
    ]
    console.log(`| ${name} | ${figures.join(' | ')} | ${loadMs.toFixed(0)} |`)
  }
}

function accuracy(detect: (text: string) => string, pages: readonly LabelledPage[], chars: number): number {
  const right = pages.filter(({ language, text }) => {
    // From the middle: pages start with the same names and versions in all languages.
    const start = Math.max(0, Math.floor((text.length - chars) / 2))
    return detect(text.slice(start, start + chars)) === language
  })
  return right.length / pages.length
}

function labelledPages(): LabelledPage[] {
  return Object.values(PACKAGES).flatMap(([pattern, language]) => {
    const byLanguage = Map.groupBy(globSync(pattern).sort(), (file) => language.exec(file)?.[1] ?? '')
    byLanguage.delete('')
    return [...byLanguage].flatMap(([name, files]) =>
      files
        .slice(0, PAGES_PER_LANGUAGE * 4)
        .map((file) => ({ language: name, ...read(file) }))
        .filter(({ text, declared }) => text.length >= 1_000 && (declared === undefined || declared === name))
        .slice(0, PAGES_PER_LANGUAGE),
    )
  })
}

/** Folders of a language also have pages that are not translated; a page tells its language by itself. */
function read(file: string): { text: string; declared: string | undefined } {
  const { text, lang } = scanHtml(decodeText(readFileSync(file), { syntax: 'html' }).text)
  return { text, declared: primaryLanguage(lang) }
}
