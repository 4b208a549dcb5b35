/**
 * How much memory a crawl takes: 100,000 pages on 10,000 hosts of a web in another process, from the seeds to the last page.
 * The aim is 400 MB. `ORBWEAVER_BENCH_HOSTS` makes it smaller or larger; each host has ten pages on average. Linux only.
 */

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSyntheticWeb } from '../testing/synthetic-web.ts'
import { buildDist } from './build-dist.ts'
import { chosenSize } from './chosen-sizes.ts'
import { ORBWEAVER } from './orbweaver-process.ts'

const HOSTS = chosenSize('ORBWEAVER_BENCH_HOSTS', 10_000)
const PAGES = HOSTS * 10
const LIMIT_MB = 400
const SAMPLE_MS = 500

export async function run(): Promise<void> {
  await measureMemory()
}

/** @returns the peak, in MB */
export async function measureMemory(): Promise<number> {
  buildDist()
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-memory-'))
  const web = fork(import.meta.filename, ['serve'])
  try {
    const [seeds] = (await once(web, 'message')) as [string[]]
    await writeFile(join(folder, 'seeds.txt'), seeds.join('\n'))
    const start = performance.now()
    const crawl = startCrawl(folder)
    const peaks = await watched(crawl)
    const seconds = (performance.now() - start) / 1000
    const { pages, rounds } = JSON.parse(await peaks.output) as { pages: number; rounds: number }
    console.log(`pages fetched    ${pages} of ${PAGES}, on ${HOSTS} hosts, in ${rounds} rounds`)
    console.log(`time             ${seconds.toFixed(0)} s, ${(pages / seconds).toFixed(0)} pages/s`)
    console.log(
      `resident memory  ${peaks.peakMb} MB at most, aim ${LIMIT_MB}: ${(peaks.peakMb / LIMIT_MB).toFixed(2)}`,
    )
    console.log(`every tenth      ${tenths(peaks.samplesMb).join(' ')} MB`)
    return peaks.peakMb
  } finally {
    web.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

function startCrawl(folder: string): ChildProcess {
  const [node = process.execPath, program = ''] = ORBWEAVER
  const args = ['crawl', join(folder, 'crawl'), join(folder, 'seeds.txt'), '--json']
  const flags = ['--delay', '0.1', '--threads', '128', '--email', 'bench@example.org']
  return spawn(node, [program, ...args, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
}

interface Watched {
  readonly peakMb: number
  readonly samplesMb: readonly number[]
  readonly output: Promise<string>
}

/** Looks at a process until it ends. The peak is the kernel's, so that nothing is missed between two looks. */
async function watched(child: ChildProcess): Promise<Watched> {
  const output = text(child)
  const samplesMb: number[] = []
  let peakMb = 0
  const timer = setInterval(() => {
    const status = statusOf(child.pid)
    peakMb = Math.max(peakMb, megabytes(status, 'VmHWM'))
    if (status !== '') samplesMb.push(megabytes(status, 'VmRSS'))
  }, SAMPLE_MS)
  await once(child, 'exit')
  clearInterval(timer)
  return { peakMb, samplesMb, output }
}

async function text({ stdout }: ChildProcess): Promise<string> {
  let all = ''
  for await (const chunk of stdout?.setEncoding('utf8') ?? []) all += chunk
  return all
}

function statusOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

function megabytes(status: string, field: string): number {
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
}

function tenths(samples: readonly number[]): number[] {
  return Array.from({ length: 10 }, (_, i) => samples[Math.floor(((i + 1) * (samples.length - 1)) / 10)] ?? 0)
}

async function serve(): Promise<void> {
  const web = await startSyntheticWeb({
    hosts: HOSTS,
    pages: PAGES,
    hostile: false,
    words: 600,
    forgetful: true,
  })
  process.send?.(web.seeds)
}

// The process that `run` starts.
if (process.argv[2] === 'serve') await serve()
