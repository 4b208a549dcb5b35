/**
 * Text of office documents: LibreOffice converts real pages (debian-handbook) into each format and into plain text, which is the truth; our
 * readers and Apache Tika read the documents. Needs the Debian packages libreoffice-writer-nogui and debian-handbook; `TIKA_JAR` is the path
 * of tika-app (Maven: org.apache.tika:tika-app), without it Tika is left out.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { steadyClock } from '../src/base/clock.ts'
import { readDocument } from '../src/domain/content/read-document.ts'
import { normalizeUrl } from '../src/domain/url/normalize-url.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { overlap } from './word-overlap.ts'

const PAGES = ['en-US', 'fr-FR', 'ja-JP', 'ru-RU'].map(
  (name) => `/usr/share/doc/debian-handbook/html/${name}/sect.*.html`,
)
const PAGES_PER_LANGUAGE = 4
const FORMATS = ['odt', 'docx', 'doc', 'rtf', 'epub']

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-documents-bench-'))
  try {
    const pages = PAGES.flatMap((pattern) => spread(globSync(pattern).sort()))
    if (pages.length === 0) throw new Error('debian-handbook is missing: apt-get install debian-handbook')
    console.log(`${pages.length} pages; ${convert(folder, pages)}`)
    const tika = tikaTexts(folder)
    console.log('| format | Orbweaver: F1 | CPU-ms per document | Tika: F1 |')
    for (const format of FORMATS) console.log(await row(folder, format, tika))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function spread(files: readonly string[]): string[] {
  return files.filter((_, i) => i % Math.ceil(files.length / PAGES_PER_LANGUAGE) === 0)
}

/** Returns the version of LibreOffice. */
function convert(folder: string, pages: readonly string[]): string {
  const office = (...args: string[]) =>
    execFileSync('soffice', [`-env:UserInstallation=file://${folder}/profile`, '--headless', ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    }).toString()
  for (const [i, page] of pages.entries()) {
    execFileSync('mkdir', ['-p', join(folder, 'html')])
    execFileSync('cp', [page, join(folder, 'html', `${i}.html`)])
  }
  const html = globSync(join(folder, 'html/*'))
  office(
    '--convert-to',
    'odt:writer8',
    '--infilter=HTML (StarWriter)',
    '--outdir',
    join(folder, 'documents'),
    ...html,
  )
  const texts = globSync(join(folder, 'documents/*.odt'))
  for (const format of FORMATS.slice(1))
    office('--convert-to', format, '--outdir', join(folder, 'documents'), ...texts)
  office('--convert-to', 'txt:Text (encoded):UTF8', '--outdir', join(folder, 'truth'), ...texts)
  return office('--version').trim()
}

function tikaTexts(folder: string): string | undefined {
  const jar = process.env['TIKA_JAR']
  if (jar === undefined) return undefined
  const out = join(folder, 'tika')
  execFileSync('java', ['-jar', jar, '-t', '-i', join(folder, 'documents'), '-o', out], { stdio: 'ignore' })
  return out
}

async function row(folder: string, format: string, tika: string | undefined): Promise<string> {
  const files = readdirSync(join(folder, 'documents')).filter((file) => file.endsWith(`.${format}`))
  let ours = 0
  let theirs = 0
  const options = { agent: 'orbweaver', normalize: normalizeUrl, pdf: { clock: steadyClock } }
  const cpu = process.cpuUsage()
  const texts = new Map<string, string>()
  for (const file of files) {
    const bytes = readFileSync(join(folder, 'documents', file))
    texts.set(file, (await readDocument({ url: `http://a.test/${file}`, headers: [], bytes }, options)).text)
  }
  const { user, system } = process.cpuUsage(cpu)
  for (const [file, text] of texts) {
    const truth = readFileSync(join(folder, 'truth', `${basename(file, `.${format}`)}.txt`), 'utf8')
    ours += overlap(truth, text).f1
    if (tika !== undefined) theirs += overlap(truth, readFileSync(join(tika, `${file}.txt`), 'utf8')).f1
  }
  const share = (sum: number) => (sum / files.length).toFixed(3)
  const perDocument = ((user + system) / 1000 / files.length).toFixed(1)
  return `| ${format} | ${share(ours)} | ${perDocument} | ${tika === undefined ? '' : share(theirs)} |`
}
