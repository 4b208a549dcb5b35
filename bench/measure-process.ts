import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface ProcessToMeasure {
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly folder?: string
  /** How many pages its last line of output says it found. */
  pagesOf(output: string): number
}

export interface Measured {
  readonly pages: number
  readonly seconds: number
  /** Of the process with its threads, and of what it started. */
  readonly cpuSeconds: number
  readonly peakMegabytes: number
}

/** Runs a program to its end. CPU time as the shell's `time` counts it; memory as Linux remembers its peak. */
export async function measureProcess(work: ProcessToMeasure): Promise<Measured> {
  // `exec` is not used: the shell must stay to count.
  const child = spawn(
    'bash',
    ['-c', 'TIMEFORMAT="%R %U %S"; time "$@" 2>/dev/null', 'bash', ...work.command],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...work.environment },
      ...(work.folder !== undefined && { cwd: work.folder }),
    },
  )
  let output = ''
  let times = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (times += chunk))
  let peakKilobytes = 0
  const watch = setInterval(() => (peakKilobytes = Math.max(peakKilobytes, peakOf(child.pid))), 100)
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearInterval(watch)
  const [seconds = 0, user = 0, system = 0] = times.trim().split(' ').map(Number)
  if (code !== 0) throw new Error(`${work.command.join(' ')} ended with ${code}\n${output}\n${times}`)
  return {
    pages: work.pagesOf(output),
    seconds,
    cpuSeconds: user + system,
    peakMegabytes: peakKilobytes / 1024,
  }
}

/** Of the largest child of the shell. */
function peakOf(shell: number | undefined): number {
  try {
    const children = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ')
    return Math.max(
      ...children.map((pid) =>
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
      ),
    )
  } catch {
    return 0
  }
}
