import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { processExists, processStart } from './process-start.ts'

it('knows this process, and when it began', () => {
  expect(processExists(process.pid)).toBe(true)
  expect(processStart(process.pid)).toBe(processStart(process.pid))
})

it.runIf(process.platform === 'linux')(
  'counts a process as gone that has ended, though its parent has not buried it',
  async () => {
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let child: number | undefined
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer]
      child = Number(line.toString())
      // A stopped parent does not reap its child.
      parent.kill('SIGSTOP')
      await becomes(parent.pid ?? 0, 'T')
      process.kill(child, 'SIGKILL')
      await becomes(child, 'Z')
      expect(processExists(child)).toBe(false)
    } finally {
      parent.kill('SIGKILL')
      if (child !== undefined && processExists(child)) process.kill(child, 'SIGKILL')
    }
  },
)

/** Waits until Linux gives the process this state: T is stopped, Z is ended and not buried. */
async function becomes(pid: number, state: string) {
  const now = () => / ([A-Z]) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
  while (now() !== state) await new Promise((resolve) => setImmediate(resolve))
}
