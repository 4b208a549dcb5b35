import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CrawlState, leftovers, readCrawlState } from './crawl-state.ts'
import { KillCount } from './kill-count.ts'
import { type Death, Lane } from './lane.ts'
import { seededRandom } from './random.ts'
import { type SmallWeb, startSmallWeb } from './small-web.ts'

/** Redirects wait for the next round, so that it does not depend on time which segment a page is in. */
const FETCH = ['fetch', 'DIR', '--delay', '0', '--redirect-max', '0']

interface Step {
  readonly title: string
  readonly args: readonly string[]
  /** Whether something counts only when it gets its name. @default false */
  readonly renames?: boolean
  /** Undisturbed commands before it. */
  readonly first?: ReadonlyArray<readonly string[]>
  /** Undisturbed commands after it, whose result is compared too. */
  readonly afterwards?: ReadonlyArray<readonly string[]>
}

/** In the order of a crawl: each starts where the one before left off. */
const STEPS: readonly Step[] = [
  { title: 'inject', args: ['inject', 'DIR', 'SEEDS'], renames: true },
  { title: 'generate', args: ['generate', 'DIR'], renames: true },
  { title: 'fetch', args: [...FETCH, '--no-parse'], renames: true },
  { title: 'parse', args: ['parse', 'DIR'], renames: true },
  { title: 'updatedb', args: ['updatedb', 'DIR'] },
  { title: 'fetch that parses', args: FETCH, renames: true, first: [['generate', 'DIR']] },
  { title: 'dedup', args: ['dedup', 'DIR'], first: [['updatedb', 'DIR']] },
  { title: 'invertlinks', args: ['invertlinks', 'DIR'] },
  {
    title: 'mergesegs',
    args: ['mergesegs', 'DIR'],
    renames: true,
    afterwards: [['updatedb', 'DIR']],
  },
]
/** Runs of each step that are killed a few times and then compared. */
const TRIALS = 2
const KILLS_IN_A_ROW = 5
const LANES = 2
/** Some ten times what it takes: the machine may be busy. */
const TIMEOUT_MS = 300_000

let folder: string
let web: SmallWeb
const kills = new KillCount()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-crash-'))
  web = await startSmallWeb(60)
  writeFileSync(join(folder, 'seeds'), web.seedLines.join('\n'))
})

afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

describe('a step that is killed again and again', () => {
  it.each(STEPS.map((step, i) => [step.title, i] as const))(
    'ends as %s does undisturbed',
    async (title, i) => {
      const step = STEPS[i]
      if (step === undefined) throw new Error('there is no such step')
      const undisturbed = await prepare(step, i)
      const failures = await inLanes(TRIALS, (n) =>
        trial(step, undisturbed, seededRandom(1000 * i + n), `${i}-${n}`),
      )
      expect(failures, title).toEqual([])
    },
    TIMEOUT_MS,
  )

  it('was alive at most kills', () => {
    process.stdout.write(`${kills}`)
    expect(kills.total).toBe(STEPS.length * TRIALS * KILLS_IN_A_ROW)
    expect(kills.hitRatio).toBeGreaterThan(0.6)
  })
})

/** The step without a kill: where it starts, where it ends, and how long it takes. */
interface Undisturbed {
  readonly before: string
  readonly state: CrawlState
  readonly durationMs: number
  readonly workMs: number
  readonly steps: number
  readonly renames: boolean
}

async function prepare(
  { args, renames = false, first = [], afterwards = [] }: Step,
  i: number,
): Promise<Undisturbed> {
  const before = lane(`before-${i}`)
  await before.startFrom(lane(`after-${i - 1}`).path)
  for (const command of first) await before.run(command)
  const after = lane(`after-${i}`)
  await after.startFrom(before.path)
  const { durationMs, workMs, stderr } = await after.run(withSeeds(args))
  for (const command of afterwards) await after.run(command)
  const steps = Number(/(\d+) steps/.exec(stderr)?.[1])
  const state = await readCrawlState(after.path)
  return { before: before.path, state, durationMs, workMs, steps, renames }
}

async function trial(
  { args, afterwards = [] }: Step,
  undisturbed: Undisturbed,
  random: () => number,
  name: string,
): Promise<void> {
  const own = lane(name)
  await own.startFrom(undisturbed.before)
  const story: string[] = []
  try {
    for (let kill = 0; kill < KILLS_IN_A_ROW; kill++) {
      const death = chooseDeath(undisturbed, kill, random)
      story.push(JSON.stringify(death))
      await own.runAndKill(withSeeds(args), death)
    }
    await own.run(withSeeds(args))
    expect(own.repeats).toEqual([])
    for (const command of afterwards) await own.run(command)
    expect(await readCrawlState(own.path)).toEqual(undisturbed.state)
    expect(leftovers(own.path)).toEqual([])
    rmSync(own.path, { recursive: true })
  } catch (error) {
    throw new Error(`killed at ${story.join(', ')}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  }
}

/** By the clock, and before or within anything that is done to the disk; last, where it matters, between database and file names. */
function chooseDeath(
  { durationMs, workMs, steps, renames }: Undisturbed,
  kill: number,
  random: () => number,
): Death {
  const moment = random() * 1.05
  if (renames && kill === KILLS_IN_A_ROW - 1) return { step: random() < 0.5 ? 'rename' : 'rename>' }
  if (kill === 0) return { afterStartMs: Math.round(moment * durationMs) }
  if (kill % 2 === 0) return { afterLockMs: Math.round(moment * workMs) }
  const step = 1 + Math.floor(random() * steps)
  return { step: random() < 0.6 ? String(step) : `${step}+` }
}

/** Runs trials, a few at a time; returns what went wrong. */
async function inLanes(count: number, run: (n: number) => Promise<void>): Promise<string[]> {
  const failures: string[] = []
  let next = 0
  const worker = async () => {
    while (next < count) await run(next++).catch((error: Error) => failures.push(error.message))
  }
  await Promise.all(Array.from({ length: LANES }, worker))
  return failures
}

function lane(name: string): Lane {
  return new Lane(folder, name, web, kills)
}

function withSeeds(args: readonly string[]): string[] {
  return args.map((arg) => (arg === 'SEEDS' ? join(folder, 'seeds') : arg))
}
