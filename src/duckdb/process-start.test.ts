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
    // The shell becomes a program that never asks after its children.
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer]
      const pid = Number(line.toString())
      const isDead = () => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
      for (let turn = 0; turn < 100_000 && !isDead(); turn++)
        await new Promise((resolve) => setImmediate(resolve))
      expect(isDead()).toBe(true)
      expect(processExists(pid)).toBe(false)
    } finally {
      parent.kill('SIGKILL')
    }
  },
)
