/**
 * The scan part of a page reader as WebAssembly with SIMD, compared with our scanner on real pages: cold (the first 200 pages of a new process) and
 * warm. `columns` leaves its results as bytes; `wasm` makes strings of them, as ours does. `WASM_SITES` chooses sites of testing/real-web.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import asc from 'assemblyscript/asc'
import { installedSites } from './installed-sites.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureIn } from './measure-process.ts'
import { removeFolder } from './remove-folder.ts'
import { undoAtExit } from './undo-at-exit.ts'
import type { ScanFigures } from './wasm/scan-process.ts'

const SITES = ['sqlite3', 'pandas', 'scipy']
const SCANNERS = ['scanHtml', 'wasm', 'columns']
const ROUNDS = 3
const FOLDER = join(import.meta.dirname, 'wasm')

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-wasm-'))
  const undone = undoAtExit(() => removeFolder(folder))
  try {
    const kernel = join(folder, 'kernel.wasm')
    writeFileSync(kernel, await compiledKernel())
    console.log('\n| site | pages | scanner | cold, MB per CPU-second | warm | pages with equal links |')
    console.log('| --- | --- | --- | --- | --- | --- |')
    for (const site of installedSites('WASM_SITES', SITES)) {
      const runs = new Map<string, ScanFigures[]>(SCANNERS.map((scanner) => [scanner, []]))
      for (let round = 0; round < ROUNDS; round++)
        for (const [scanner, figures] of runs) {
          const command = [process.execPath, join(FOLDER, 'scan-process.ts'), scanner, kernel, site.root]
          const { output } = await measureIn(folder, { command })
          figures.push(JSON.parse(output) as ScanFigures)
        }
      const [ours] = runs.get('scanHtml') ?? []
      for (const [scanner, figures] of runs) console.log(row(site.name, scanner, figures, ours))
    }
  } finally {
    undone()
    removeFolder(folder)
  }
}

async function compiledKernel(): Promise<Uint8Array> {
  let binary: Uint8Array | undefined
  const { error, stderr } = await asc.main(
    ['scan-kernel.ts', '-O3', '--enable', 'simd', '--runtime', 'stub', '--outFile', 'kernel.wasm'],
    {
      readFile: (name) =>
        name === 'scan-kernel.ts' ? readFileSync(join(FOLDER, 'scan-kernel.as'), 'utf8') : null,
      writeFile(_, contents) {
        if (typeof contents !== 'string') binary = contents
      },
    },
  )
  if (error !== null || binary === undefined) throw new Error(`asc failed: ${stderr.toString()}`)
  return binary
}

/** The best of all rounds. */
function row(
  site: string,
  scanner: string,
  figures: readonly ScanFigures[],
  ours: ScanFigures | undefined,
): string {
  const [first] = figures
  const best = (key: 'cold' | 'warm') => Math.max(...figures.map((one) => one[key])).toFixed(0)
  const equal = first?.hashes.filter((hash, i) => hash === ours?.hashes[i]).length
  const cells = [site, first?.pages, scanner, best('cold'), best('warm'), scanner === 'columns' ? '' : equal]
  return `| ${cells.join(' | ')} |`
}
