import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { removeFolder } from './remove-folder.ts'
import { undoAtExit } from './undo-at-exit.ts'

export interface ProcessToMeasure {
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Puts what the process needs into the folder it will run in. Not measured. */
  prepare?(folder: string): void | Promise<void>
  /** How many pages its output says it found. */
  pagesOf(output: string): number
}

export interface Measured {
  readonly pages: number
  readonly seconds: number
  /** Of the process with its threads, and of what it started. */
  readonly cpuSeconds: number
  readonly peakMegabytes: number
}

/** How the memory of a program is measured; the highest of all samples counts. */
export interface MemorySamples {
  /** In kB, of the program that the shell with this process id runs. @default the peak of its largest child */
  readonly memoryOf?: (shell: number | undefined) => number
  /** @default 50 */
  readonly everyMs?: number
}

/**
 * Runs a program to its end, in a new folder that is removed afterwards. CPU time as the shell's `time` counts it; memory as Linux
 * remembers its peak.
 */
export async function measureProcess(work: ProcessToMeasure): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-run-'))
  const undone = undoAtExit(() => removeFolder(folder))
  try {
    await work.prepare?.(folder)
    const { output, ...measured } = await measureIn(folder, work)
    return { pages: work.pagesOf(output), ...measured }
  } finally {
    undone()
    removeFolder(folder)
  }
}

/** A program that takes more memory is killed, before it takes that of the machine: a run of Colly grew to 24 GB. */
const MAX_KILOBYTES = totalmem() / 2 / 1_024

/** The shell stays to count, and has its standard error for itself; that of the program is stream 3. */
const TIMED = ['-c', 'TIMEFORMAT="%R %U %S"; time "$@" 2>&3', 'bash']

/** Runs a program in a folder to its end. */
export async function measureIn(
  folder: string,
  { command, environment }: Pick<ProcessToMeasure, 'command' | 'environment'>,
  { memoryOf = peakOf, everyMs = 50 }: MemorySamples = {},
): Promise<Omit<Measured, 'pages'> & { readonly output: string }> {
  const shell = spawn('bash', [...TIMED, ...command], {
    cwd: folder,
    env: { ...process.env, ...environment, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // The head of a group, so that it can be ended with all that it started.
    detached: true,
  })
  const kill = () => shell.pid !== undefined && process.kill(-shell.pid, 'SIGKILL')
  const undone = undoAtExit(kill)
  const texts = Promise.all([1, 2, 3].map((stream) => textOf(shell, stream)))
  let peakKilobytes = 0
  const watch = setInterval(() => {
    peakKilobytes = Math.max(peakKilobytes, memoryOf(shell.pid))
    if (peakKilobytes > MAX_KILOBYTES) kill()
  }, everyMs)
  const [code] = (await once(shell, 'close')) as [number | null]
  clearInterval(watch)
  undone()
  const [output = '', times = '', complaints = ''] = await texts
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}\n${output}\n${complaints}`)
  const [seconds = 0, user = 0, system = 0] = times.trim().split(' ').map(Number)
  return {
    output,
    seconds,
    cpuSeconds: user + system,
    peakMegabytes: peakKilobytes / 1024,
  }
}

async function textOf({ stdio }: ChildProcess, stream: number): Promise<string> {
  const readable = stdio[stream]
  return readable != null && 'read' in readable ? text(readable) : ''
}

/** In kB, of the largest child of the shell; 0 when it has none. */
function peakOf(shell: number | undefined): number {
  try {
    const children = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ')
    const peaks = children.map((pid) =>
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
    )
    return Math.max(...peaks)
  } catch {
    return 0
  }
}
