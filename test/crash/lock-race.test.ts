import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { withoutUndefined } from '../../src/base/without-undefined.ts'

const SCRIPT = fileURLToPath(new URL('take-lock.ts', import.meta.url))

it('never has two owners while many processes take over the locks of dead ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-lock-'))
  try {
    const { pid: deadPid = 0 } = await run(['-e', ''])
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => run([SCRIPT, folder, '1500', String(deadPid)])),
    )
    // A second owner fails because the file that only the owner has is there.
    expect(runs.map(({ stderr }) => stderr)).toEqual(runs.map(() => ''))
    const taken = runs.map(({ stdout }) => Number(stdout))
    expect(taken.filter((times) => times > 0).length).toBeGreaterThan(1)
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 120_000)

async function run(args: readonly string[]): Promise<{ pid?: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, args)
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => {
    stdout += data
  })
  child.stderr.on('data', (data) => {
    stderr += data
  })
  await new Promise((resolve) => child.once('close', resolve))
  return { ...withoutUndefined({ pid: child.pid }), stdout, stderr }
}
