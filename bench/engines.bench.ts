/**
 * The steps of the cycle on each engine: inject from a file, generate the best million with at most 100 per host, and updatedb with five
 * million links, each in its own process. `ENGINES=duckdb,spark-1,spark-2 ENGINES_MILLIONS=1,10,100 npm run bench -- engines` chooses engines and sizes;
 * 100 million URLs take about 40 GB of disk.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chosenSizes } from './chosen-sizes.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureIn } from './measure-process.ts'
import { removeFolder } from './remove-folder.ts'
import { writeFetches, writeSeeds } from './synthetic-crawl.ts'
import { undoAtExit } from './undo-at-exit.ts'

const LINKS = 5_000_000
const DISK_SAMPLE_MS = 5_000

export async function run(): Promise<void> {
  const engines = (process.env['ENGINES'] ?? 'duckdb').split(',')
  const sizes = chosenSizes('ENGINES_MILLIONS', '1,10').map((millions) => millions * 1e6)
  console.log(machineText(machineFacts()))
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-bench-'))
  const undone = undoAtExit(() => removeFolder(folder))
  try {
    for (const size of sizes) {
      const seeds = join(folder, 'seeds.txt')
      await writeSeeds(seeds, size)
      for (const engine of engines) await measure(engine, size, seeds, join(folder, `${engine}-${size}`))
      await rm(seeds)
    }
  } finally {
    undone()
    removeFolder(folder)
  }
}

async function measure(engine: string, urls: number, seeds: string, folder: string): Promise<void> {
  console.log(`\n${engine}, ${(urls / 1e6).toLocaleString('en')} million URLs\n`)
  console.log(
    '| step | wall, s | with start and end, s | CPU, s | peak memory, MB | peak disk, GB | result |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  await mkdir(folder)
  const crawl = join(folder, 'crawl')
  await step(folder, [engine, 'inject', crawl, seeds])
  const { segments = [] } = await step(folder, [engine, 'generate', crawl])
  const [segment = { name: '', urls: 1 }] = segments
  await writeFetches(join(crawl, 'segments', segment.name), urls, Math.ceil(LINKS / segment.urls))
  await step(folder, [engine, 'update', crawl, segment.name])
  const bytes = (await sizeOf(crawl)) - (await sizeOf(join(crawl, 'segments')))
  console.log(`\n${(bytes / urls).toFixed(0)} bytes per URL of the seed file on disk`)
  removeFolder(folder)
}

interface StepResult {
  readonly segments?: ReadonlyArray<{ readonly name: string; readonly urls: number }>
}

/** Runs a step in a new process and prints what it took. */
async function step(folder: string, args: readonly string[]): Promise<StepResult> {
  const before = await sizeOf(folder)
  let peakBytes = before
  const watch = setInterval(
    async () => (peakBytes = Math.max(peakBytes, await sizeOf(folder))),
    DISK_SAMPLE_MS,
  )
  const command = [process.execPath, join(import.meta.dirname, 'engine-step.ts'), ...args]
  const { output, seconds, cpuSeconds, peakMegabytes } = await measureIn(folder, { command }, MEMORY)
  clearInterval(watch)
  peakBytes = Math.max(peakBytes, await sizeOf(folder))
  const { seconds: wall, result } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as {
    readonly seconds: number
    readonly result: StepResult
  }
  const figures = [wall.toFixed(1), seconds.toFixed(1), cpuSeconds.toFixed(1), peakMegabytes.toFixed(0)]
  const disk = (peakBytes / 1e9).toFixed(1)
  console.log(`| ${args[1]} | ${figures.join(' | ')} | ${disk} | ${JSON.stringify(result)} |`)
  return result
}

const MEMORY = { memoryOf: memoryOfTree, everyMs: 500 }

/** In kB: the memory of all processes that the shell has started, and of those that they have started. */
function memoryOfTree(shell: number | undefined): number {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const children = Map.groupBy(processes, (pid) => /^PPid:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? '')
  const total = (pid: string): number =>
    (children.get(pid) ?? []).reduce((sum, child) => {
      const own = Number(/^VmRSS:\s+(\d+)/m.exec(statusOf(child))?.[1] ?? 0)
      return sum + own + total(child)
    }, 0)
  return total(String(shell))
}

/** Empty: the process has ended. */
function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

/** Bytes of all files below; files that are removed meanwhile do not count. */
async function sizeOf(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
