import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'

const ITEMS = 40_000
/** Per consumer. */
const KILLS = 2

let redis: RedisServer
let folder: string

beforeEach(async () => {
  redis = await startRedis()
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-consumer-'))
})
afterEach(async () => {
  await redis.stop()
  rmSync(folder, { recursive: true })
})

it('writes each item once to the files of consumers that are killed repeatedly', async () => {
  await redis.command(
    'eval',
    `for i = 1, ARGV[1] do redis.call('RPUSH', 'shop:items', '{"n":' .. i .. ',"text":"' .. string.rep('x', 200) .. '"}') end`,
    '0',
    String(ITEMS),
  )
  const files = ['a.jsonl', 'b.jsonl'].map((name) => join(folder, name))
  let killed = 0
  await Promise.all(
    files.map(async (file) => {
      for (let run = 0; ; run++) {
        const child = consumer(file)
        const ended = once(child, 'exit')
        if (run < KILLS) {
          // Wait until it writes, and some time longer.
          const before = sizeOf(file)
          while (sizeOf(file) === before && child.exitCode === null) await sleep(2)
          await sleep(Math.random() * 60)
          child.kill('SIGKILL')
        }
        const [code, signal] = (await ended) as [number | null, string | null]
        if (signal === 'SIGKILL') killed++
        else if (code === 0 || code === 1) return
        else throw new Error(`exit code ${code}`)
      }
    }),
  )
  const taken = files.flatMap(numbersIn)
  expect(killed).toBeGreaterThan(0)
  expect(new Set(taken).size).toBe(taken.length)
  expect(taken).toHaveLength(ITEMS)
})

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function numbersIn(file: string): number[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { n: number }).n)
}

function consumer(file: string): ChildProcess {
  const program = join(import.meta.dirname, '../../testing/orbweaver-process.ts')
  const args = ['items', 'shop', '--redis', redis.address, '--take', '--out', file]
  return spawn(process.execPath, [program, ...args], { stdio: 'ignore' })
}
