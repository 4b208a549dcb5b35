import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { certifyCrawl } from '../../src/wiring/certify-crawl.ts'
import { seededRandom } from '../crash/random.ts'
import { type Death, SpiderLane } from './spider-lane.ts'
import { DELAY_MS, expectedRequests, violationsOf } from './web-spider.ts'

const LANES = 2
const MAX_KILLS_OF_A_LANE = 14
const PLAN = { hosts: 8, pages: 320 }
/** About ten times the usual duration, for a busy machine. */
const TIMEOUT_MS = 600_000

let folder: string
let lanes: SpiderLane[]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-kill-spider-'))
  const names = ['undisturbed', ...Array.from({ length: LANES }, (_, i) => `lane-${i}`)]
  lanes = await Promise.all(names.map((name) => SpiderLane.start(folder, name, PLAN)))
})
afterAll(async () => {
  for (const { web } of lanes) await web.close()
  rmSync(folder, { recursive: true })
})

it(
  'ends as undisturbed, each item once in each export, however often it is killed',
  async () => {
    const [undisturbed, ...killed] = lanes
    if (undisturbed === undefined) throw new Error('no lanes')
    const { workMs, stderr } = await undisturbed.run()
    const steps = Number(/(\d+) steps/.exec(stderr)?.[1])
    const reference = await undisturbed.state()
    const { items } = expectedRequests(undisturbed.web)
    expect(reference.items['jsonl']).toHaveLength(items.length)
    expect(new Set(reference.items['jsonl']).size).toBe(items.length)
    expect(violationsOf(undisturbed.web, 3)).toEqual([])

    const kills = await Promise.all(
      killed.map(async (lane, i) => {
        const random = seededRandom(i + 1)
        let hits = 0
        // It had finished before the kill.
        while (
          hits < MAX_KILLS_OF_A_LANE &&
          (await lane.runAndKill(chooseDeath(hits, workMs, steps, random)))
        )
          hits++
        const requested = lane.web.requested.length
        await lane.run()
        return { hits, requested, lastRun: lane.web.requested.length - requested }
      }),
    )
    for (const { hits, requested, lastRun } of kills)
      process.stdout.write(
        `a spider was killed ${hits} times over ${requested} requests; ${lastRun} were left\n`,
      )

    for (const lane of killed) {
      const { hosts } = await certifyCrawl(lane.path)
      expect(hosts.flatMap(({ violations }) => violations)).toEqual([])
      expect(await lane.state()).toEqual(reference)
      expect(violationsOverKills(lane)).toEqual([])
      const requested = lane.web.requested.length
      expect((await lane.run()).exitCode).toBe(1)
      expect(lane.web.requested).toHaveLength(requested)
    }
    // The test is only valid if kills interrupted crawls.
    expect(Math.min(...kills.map(({ hits }) => hits))).toBeGreaterThanOrEqual(8)
    expect(Math.min(...kills.map(({ requested }) => requested))).toBeGreaterThan(items.length / 4)
  },
  TIMEOUT_MS,
)

/**
 * Requests in progress are repeated, and each process requests robots.txt. A Retry-After or Crawl-delay is stored within a tenth of a
 * second; a process that is killed before that loses it. All other limits hold across restarts.
 */
function violationsOverKills({ web }: SpiderLane): string[] {
  const found = web.judge.violations({ minGapMs: DELAY_MS, maxRepeats: Number.POSITIVE_INFINITY })
  return found.filter((violation) => !violation.includes('Retry-After'))
}

/** Each run completes a part of the crawl. */
function chooseDeath(kill: number, workMs: number, steps: number, random: () => number): Death {
  if (kill % 3 === 2) return { step: String(1 + Math.floor((random() * steps) / 5)) }
  return { afterLockMs: Math.round((random() * workMs) / 5) }
}
