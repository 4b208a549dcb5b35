import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requireS3Server } from '../../testing/require-s3-server.ts'
import { useS3 } from '../../testing/use-s3.ts'
import { type CrawlState, leftovers, readCrawlState } from './crawl-state.ts'
import { KillCount } from './kill-count.ts'
import { type Death, Lane } from './lane.ts'
import { seededRandom } from './random.ts'
import { type SmallWeb, startSmallWeb } from './small-web.ts'

const LANES = 2
const KILLS_OF_A_LANE = 9
/** Some ten times what it takes: the machine may be busy. */
const TIMEOUT_MS = 600_000

let folder: string
let web: SmallWeb
const kills = new KillCount()
const s3 = requireS3Server() ? useS3() : undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-crash-'))
  web = await startSmallWeb(30)
  writeFileSync(join(folder, 'seeds'), web.seedLines.join('\n'))
})

afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

const LOCAL = { where: 'in the directory', flagsOf: (): string[] => [] }
const STORED = { where: 'in an object store', flagsOf: () => ['--segments', s3?.newPlace() ?? ''] }

it.each(s3 === undefined ? [LOCAL] : [LOCAL, STORED])(
  'ends as a crawl does undisturbed, however often it is killed, with segments $where',
  async ({ where, flagsOf }) => {
    const crawl = ['crawl', 'DIR', join(folder, 'seeds'), '--delay', '0']
    const reference = new Lane(folder, `undisturbed, ${where}`, web, kills)
    const { workMs, stderr } = await reference.run([...crawl, ...flagsOf()])
    const steps = Number(/(\d+) steps/.exec(stderr)?.[1])
    const undisturbed = outcome(await readCrawlState(reference.path))

    const lanes = Array.from({ length: LANES }, (_, i) => new Lane(folder, `lane-${i}, ${where}`, web, kills))
    const outcomes = await Promise.all(
      lanes.map(async (lane, i) => {
        const random = seededRandom(i + 1)
        const args = [...crawl, ...flagsOf()]
        for (let kill = 0; kill < KILLS_OF_A_LANE; kill++) {
          await lane.runAndKill(args, chooseDeath(kill, workMs, steps, random))
        }
        await lane.run(args)
        const before = web.hitsOf(lane.name).length
        const again = await lane.run(args)
        return {
          ...outcome(await readCrawlState(lane.path)),
          leftovers: leftovers(lane.path),
          repeats: lane.repeats,
          again: { exitCode: again.exitCode, requests: web.hitsOf(lane.name).length - before },
        }
      }),
    )
    process.stdout.write(`${kills}`)
    for (const lane of outcomes) {
      expect(lane.repeats).toEqual([])
      expect(lane).toEqual({
        ...undisturbed,
        leftovers: [],
        repeats: [],
        again: { exitCode: 1, requests: 0 },
      })
    }
    expect(kills.hitRatio).toBeGreaterThan(0.6)
  },
  TIMEOUT_MS,
)

/** A few kills for each time that the crawl would take: each run gets on by a part of the way. */
function chooseDeath(kill: number, workMs: number, steps: number, random: () => number): Death {
  if (kill % 3 === 2) return { step: String(1 + Math.floor((random() * steps) / 3)) }
  return { afterLockMs: Math.round((random() * workMs) / 4) }
}

/**
 * What a crawl comes to. Its rounds overlap, so that which page is in which round depends on time, undisturbed too; and with it how the
 * scores flow, and whether a link or a redirect, which brings metadata, is the first to name a page.
 */
function outcome({ records, segments }: CrawlState) {
  return {
    records: records.map(({ score: _, metadata: __, ...record }) => record),
    states: [...new Set(segments.map(({ state }) => state))],
    remaining: segments.flatMap(({ remaining }) => remaining),
    /** Each URL is fetched once over all segments. */
    rows: segments.flatMap(({ rows }) => rows).sort(),
  }
}
