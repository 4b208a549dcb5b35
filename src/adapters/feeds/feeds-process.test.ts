import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { endlessItemLog, itemAt, textTargets } from '../../../testing/endless-item-log.ts'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { EXPORT_PROGRAM, killExport } from '../../../testing/killed-export.ts'
import type { JsonObject } from '../../base/json.ts'
import { openObjectStore } from '../object-store/open-object-store.ts'
import { ItemFeeds } from './item-feeds.ts'

const KILLS = 4
const LAST = 20_000

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orbweaver-kill-'))
})
afterEach(() => rm(directory, { recursive: true }))

it('has every item once, however often the process is killed', async () => {
  let furthest = 0
  for (let i = 0; i < KILLS; i++)
    furthest = await killExport(furthest + 1_500 + 777 * i, [directory, String(LAST), '400'])
  expect(furthest).toBeLessThan(LAST)

  const feeds = await ItemFeeds.open(
    endlessItemLog(() => LAST),
    textTargets(directory),
    {
      directory,
      clock: new FakeClock(),
      output: async () => {},
      writeTable: async () => 0,
      openStore: openObjectStore,
    },
  )
  expect((await feeds.close()).filter(({ error }) => error !== undefined)).toEqual([])

  const expected = Array.from({ length: LAST }, (_, i) => itemAt(i + 1))
  const lines = read('items.jsonl').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as JsonObject)).toEqual(expected)
  expect(JSON.parse(read('items.json'))).toEqual(expected)
  expect(read('items.csv').trimEnd().split('\r\n')).toEqual([
    'n,text,late',
    ...expected.map(({ n, text, late = '' }) => `${n},${text},${late}`),
  ])
  const batches = (await readdir(directory)).filter((name) => name.startsWith('batch-')).sort()
  const counts = batches.map((name) => (JSON.parse(read(name)) as JsonObject[]).length)
  expect(counts).toEqual([...Array<number>(13).fill(1_500), 500])
  expect(batches.flatMap((name) => JSON.parse(read(name)) as JsonObject[])).toEqual(expected)
}, 60_000)

it('needs no more memory for 100,000 items than for a page of them', async () => {
  // Their text alone is 30 MB. A process that runs out of memory does not exit with 0.
  const child = spawn(process.execPath, [
    '--max-old-space-size=24',
    EXPORT_PROGRAM,
    directory,
    '100000',
    '100000',
    '300',
  ])
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(read('items.jsonl').split('\n')).toHaveLength(100_001)
}, 60_000)

function read(name: string): string {
  return readFileSync(join(directory, name), 'utf8')
}
