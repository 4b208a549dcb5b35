import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ArrayItemLog } from '../../../testing/array-item-log.ts'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ItemLog } from '../../domain/frontier/item-log.ts'
import { openObjectStore } from '../object-store/open-object-store.ts'
import type { FeedTarget } from './feed-target.ts'
import { ItemFeeds } from './item-feeds.ts'

/** A process that took items, and died. */
interface Life {
  readonly items: readonly JsonObject[]
  /** It crashed during the n-th read of the log. */
  readonly diesAtRead: number
  /** It died between writing the items and remembering them. */
  readonly losesState: boolean
  /** What happened to the file: cut to a part of its length, or longer by unknown bytes. */
  readonly damage: { readonly kept: number } | { readonly more: string } | undefined
}

// Few fields each of many: columns turn up late.
const item: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c,d', 'e', 'f'),
  fc.constantFrom(1, 'x"y', 'é\r\n', null),
  { minKeys: 1, maxKeys: 2 },
)
const life: fc.Arbitrary<Life> = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 6 }),
  diesAtRead: fc.integer({ min: 1, max: 8 }),
  losesState: fc.boolean(),
  damage: fc.option(
    fc.oneof(
      fc.record({ kept: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({ more: fc.constantFrom('x', '{"half":', '\n]\n') }),
    ),
    { nil: undefined },
  ),
})

it.each(['items.jsonl', 'items.json', 'items.csv', 'items-{batch}.csv', 'items-{batch}.json'])(
  'writes %s as if nothing had happened, whatever happens to the process',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
        const disturbed = await mkdtemp(join(tmpdir(), 'orbweaver-disturbed-'))
        const undisturbed = await mkdtemp(join(tmpdir(), 'orbweaver-undisturbed-'))
        try {
          const log = new ArrayItemLog()
          await mkdir(join(disturbed, 'crawl'))
          for (const one of lives) {
            log.add(...one.items)
            await live(log, disturbed, name, one)
          }
          await liveWell(log, disturbed, name)
          await liveWell(log, undisturbed, name)
          expect(filesIn(disturbed)).toEqual(filesIn(undisturbed))
        } finally {
          await rm(disturbed, { recursive: true })
          await rm(undisturbed, { recursive: true })
        }
      }),
      { numRuns: 15 },
    )
  },
)

async function live(
  log: ItemLog,
  directory: string,
  name: string,
  { diesAtRead, losesState, damage }: Life,
): Promise<void> {
  const stateFile = join(directory, 'crawl', 'feeds.json')
  const versions: string[] = []
  const note = () => {
    if (!existsSync(stateFile)) return
    const version = readFileSync(stateFile, 'utf8')
    if (versions.at(-1) !== version) versions.push(version)
  }
  let reads = 0
  const mortal: ItemLog = {
    items: async (position, limit) => {
      note()
      if (++reads === diesAtRead) throw new Error('killed')
      // Small pages: a process may die between two of them.
      return log.items(position, Math.min(limit, 2))
    },
    rejected: async () => [],
  }
  const feeds = await open(mortal, directory, name)
  // Nothing is written before this one is safe: it cannot be lost.
  note()
  await feeds.follow().catch(() => {})
  note()
  if (losesState) writeFileSync(stateFile, versions.at(-2) ?? versions.at(-1) ?? '')
  for (const file of currentFile(directory, stateFile)) {
    if (damage === undefined) continue
    if ('kept' in damage) truncateSync(file, Math.floor(statSync(file).size * damage.kept))
    else appendFileSync(file, damage.more)
  }
}

/** Batches that are full are never looked at again: only the file that is written to can be mended. */
function currentFile(directory: string, stateFile: string): string[] {
  const states = Object.values(
    (JSON.parse(readFileSync(stateFile, 'utf8')) as { feeds: Record<string, { batch: number }> }).feeds,
  )
  const batch = `items-${String(states[0]?.batch).padStart(5, '0')}`
  return readdirSync(directory)
    .filter((name) => name.startsWith('items.') || name.startsWith(batch))
    .map((name) => join(directory, name))
}

async function liveWell(log: ItemLog, directory: string, name: string): Promise<void> {
  await mkdir(join(directory, 'crawl'), { recursive: true })
  await (await open(log, directory, name)).close()
}

function open(log: ItemLog, directory: string, name: string): Promise<ItemFeeds> {
  const path = join(directory, name)
  const target: FeedTarget = name.includes('{batch}') ? { path, batchSize: 4 } : path
  return ItemFeeds.open(log, [target], {
    directory: join(directory, 'crawl'),
    clock: new FakeClock(),
    output: async () => {},
    writeTable: async () => 0,
    openStore: openObjectStore,
  })
}

function filesIn(directory: string): Record<string, string> {
  const names = readdirSync(directory).filter((name) => name !== 'crawl')
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
}
