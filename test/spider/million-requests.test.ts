import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const PROCESS = join(import.meta.dirname, 'million-process.ts')
/** About five times the usual duration, for a busy machine. */
const TIMEOUT_MS = 300_000

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-million-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

it(
  'needs less than 300 MB above the idle process while a million requests wait',
  async () => {
    const run = async (...args: readonly string[]) =>
      (await promisify(execFile)(process.execPath, ['--expose-gc', PROCESS, ...args])).stdout
    await run('fill', join(folder, 'crawl'), '1000000')
    const { aboveIdleMb, waiting, tried } = JSON.parse(await run('crawl', join(folder, 'crawl')))
    process.stdout.write(`${Math.round(aboveIdleMb)} MB above idle, after ${tried} requests\n`)
    expect(waiting).toBe(1_000_000)
    expect(tried).toBeGreaterThan(100)
    expect(aboveIdleMb).toBeLessThan(300)
  },
  TIMEOUT_MS,
)
