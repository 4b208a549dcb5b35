/** Scans the pages of a folder with one scanner in a new process: `scan-process.ts <scanner> <kernel file> <folder>` prints `ScanFigures`. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scanHtml } from '../../src/domain/html/scan-html.ts'
import { ScanKernel, type Scanned } from './kernel.ts'

export interface ScanFigures {
  readonly pages: number
  readonly bytes: number
  readonly links: number
  /** One hash of the addresses of the links for each page. */
  readonly hashes: readonly string[]
  /** MB per CPU-second, threads of V8 included: of the first 200 pages, the instantiation of the kernel included, and after five passes. */
  readonly cold: number
  readonly warm: number
}

const MAX_PAGES = 400
const COLD_PAGES = 200
const WARM_UP = 5
const ROUNDS = 5

const [scanner = '', kernelFile = '', folder = ''] = process.argv.slice(2)
const pages = readPages()
let kernel: ScanKernel | undefined
const kernelOf = (): ScanKernel => (kernel ??= new ScanKernel(kernelFile))
const SCANNERS: Readonly<Record<string, (page: Buffer) => Scanned | number>> = {
  scanHtml: (page) => scanHtml(page.toString()),
  wasm: (page) => kernelOf().scan(page),
  columns: (page) => kernelOf().scanToColumns(page),
}
const scan = SCANNERS[scanner]
if (scan === undefined) throw new Error(`no scanner ${scanner}`)

const cold = megabytesPerSecond(pages.slice(0, COLD_PAGES))
for (let round = 0; round < WARM_UP; round++) megabytesPerSecond(pages)
const warm = Math.max(...Array.from({ length: ROUNDS }, () => megabytesPerSecond(pages)))
const found = pages.map((page) => {
  const scanned = scan(page)
  return typeof scanned === 'number' ? [] : scanned.links.map(({ href }) => href)
})
const figures: ScanFigures = {
  pages: pages.length,
  bytes: pages.reduce((sum, { length }) => sum + length, 0),
  links: found.reduce((sum, { length }) => sum + length, 0),
  hashes: found.map((hrefs) => createHash('md5').update(hrefs.join('\n')).digest('hex')),
  cold,
  warm,
}
console.log(JSON.stringify(figures))

/** Evenly spread over the folder. */
function readPages(): Buffer[] {
  const files = globSync('**/*.html', { cwd: folder }).sort()
  const step = Math.max(1, Math.floor(files.length / MAX_PAGES))
  const chosen = files.filter((_, i) => i % step === 0).slice(0, MAX_PAGES)
  return chosen.map((file) => readFileSync(join(folder, file)))
}

function megabytesPerSecond(all: readonly Buffer[]): number {
  const start = process.cpuUsage()
  for (const page of all) scan?.(page)
  const { user, system } = process.cpuUsage(start)
  return all.reduce((sum, { length }) => sum + length, 0) / (user + system)
}
