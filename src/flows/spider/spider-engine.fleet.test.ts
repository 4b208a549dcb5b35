import { beforeEach, describe, expect, it } from 'vitest'
import { followAll, type LabOptions, type LabWeb, linksTo, SpiderLab } from '../../../testing/spider-lab.ts'
import type { Fleet, FleetState } from '../../domain/frontier/fleet.ts'
import type { SpiderProgress } from './spider-progress.ts'
import type { StartSource } from './start-feeder.ts'

const HOSTS = ['a', 'b', 'c'].map((name) => `http://${name}.test`)
const PAGES = HOSTS.flatMap((host) => Array.from({ length: 10 }, (_, i) => `${host}/${i}`))

const WEB: LabWeb = {
  ...Object.fromEntries(PAGES.map((url) => [url, `<title>${url}</title>`])),
  ...Object.fromEntries(
    HOSTS.map((host) => [`${host}/`, linksTo(...PAGES.filter((url) => url.startsWith(`${host}/`)))]),
  ),
}
const ALL = [...PAGES, ...HOSTS.map((host) => `${host}/`)].sort()
const spider = { start: HOSTS.map((host) => `${host}/`), parse: followAll }

describe('a worker of a fleet', () => {
  let fleet: FakeFleet
  const labOf = (options: Partial<LabOptions> = {}, web = WEB) =>
    new SpiderLab(web, {
      ...options,
      fleet: fleet as unknown as Fleet,
      wrapFrontier: (frontier) => ({
        add: (requests, starts) => frontier.add(requests, starts),
        lease: async (wish) => (fleet.state === undefined ? frontier.lease(wish) : []),
        settle: (settlements) => frontier.settle(settlements),
        pending: (now) => frontier.pending(now),
        close: () => frontier.close(),
      }),
    })

  beforeEach(() => {
    fleet = new FakeFleet()
  })

  it('sends no requests while it is paused, requeues its requests, and resumes', async () => {
    // A delay so long that queued requests would be held for seconds, and then sent.
    const lab = labOf({ politeness: { delayMs: 3_000, backoffMs: 100, maxFailures: 100 } })
    const startedAt = lab.clock.now()
    const seen: Array<{ requested: number; leased: number; ready: number; isPaused?: true }> = []
    const look = async () => {
      const { leased, ready } = await lab.frontier.pending(lab.clock.now())
      const { isPaused } = lab.engine.progress()
      seen.push({ requested: lab.requested.length, leased, ready, ...(isPaused && { isPaused }) })
    }
    lab.clock.after(10_000, () => {
      fleet.state = 'paused'
    })
    // It is heard of within a second; the next turns would come at 12 s.
    lab.clock.after(11_500, () => void look())
    lab.clock.after(59_000, () => void look())
    lab.clock.after(60_000, () => {
      fleet.state = undefined
    })
    expect(await lab.run(spider)).toBe('finished')
    const [early, late] = seen
    expect(early).toMatchObject({ leased: 0, isPaused: true })
    expect(early?.requested).toBeGreaterThan(3)
    expect(early?.requested).toBeLessThan(ALL.length)
    expect(late).toEqual(early)
    expect(lab.clock.now() - startedAt).toBeGreaterThan(60_000)
    expect([...lab.requested].sort()).toEqual(ALL)
  })

  it('finishes requests in flight when it is drained, however long that takes, and ends', async () => {
    const slow = { ...WEB, 'http://a.test/': { body: linksTo(...PAGES.slice(0, 10)), latencyMs: 30_000 } }
    const lab = labOf({ graceMs: 1_000 }, slow)
    lab.clock.after(700, () => {
      fleet.state = 'draining'
    })
    expect(await lab.run(spider)).toBe('drained')
    expect((await lab.items()).map(({ url }) => url)).toContain('http://a.test/')
    const { ready, leased } = await lab.frontier.pending(lab.clock.now())
    expect(leased).toBe(0)
    expect(ready + lab.requested.length).toBe(ALL.length)

    fleet.state = undefined
    expect(await lab.run(spider)).toBe('finished')
    expect([...lab.requested].sort()).toEqual(ALL)
  })

  it('ends at once when it comes to a crawl that is drained', async () => {
    fleet.state = 'draining'
    const startSource = new NoStarts()
    const lab = labOf({ startSource })
    expect(await lab.run(spider)).toBe('drained')
    expect(lab.web.requests).toEqual([])
    expect(startSource.takes).toBe(0)
    expect(await lab.frontier.pending(lab.clock.now())).toMatchObject({ ready: 0, startsComplete: false })
  })

  it('brings its start requests again when the frontier has forgotten them', async () => {
    let isForgotten = false
    const lab = new SpiderLab(WEB, {
      wrapFrontier: (frontier) => ({
        add: async (requests, starts) => {
          if (isForgotten) return frontier.add(requests, starts)
          isForgotten = true
          await frontier.add(requests.slice(0, 1))
          return { added: requests.length, duplicates: 0 }
        },
        lease: (wish) => frontier.lease(wish),
        settle: (settlements) => frontier.settle(settlements),
        pending: (now) => frontier.pending(now),
        close: () => frontier.close(),
      }),
    })
    expect(await lab.run(spider)).toBe('finished')
    expect([...lab.requested].sort()).toEqual(ALL)
  })

  it('waits for more when all is done until no worker got a request for so long', async () => {
    const lab = labOf({ startSource: new NoStarts(), idleMs: 10_000 })
    // Another worker brings something, and has done it itself.
    const lastAt = lab.clock.now() + 15_000
    fleet.activeAt = lab.clock.now() + 6_000
    lab.clock.after(15_000, () => {
      fleet.activeAt = lastAt
    })
    let idle: SpiderProgress['idle']
    lab.clock.after(14_500, () => {
      idle = lab.engine.progress().idle
    })
    expect(await lab.run(spider)).toBe('finished')
    expect(idle).toBe('start-urls')
    expect(lab.clock.now()).toBeGreaterThanOrEqual(lastAt + 10_000)
    expect(lab.clock.now()).toBeLessThan(lastAt + 13_000)
  })
})

it('says that a worker is idle because others have what is left', async () => {
  let left = 7
  const lab = new SpiderLab(WEB, {
    fleet: new FakeFleet() as unknown as Fleet,
    wrapFrontier: (frontier) => ({
      add: (requests, starts) => frontier.add(requests, starts),
      lease: (wish) => frontier.lease(wish),
      settle: (settlements) => frontier.settle(settlements),
      pending: async (now) => ({ ...(await frontier.pending(now)), elsewhere: left }),
      close: () => frontier.close(),
    }),
  })
  let busy: SpiderProgress | undefined
  let idle: SpiderProgress | undefined
  lab.clock.after(700, () => {
    busy = lab.engine.progress()
  })
  lab.clock.after(60_500, () => {
    idle = lab.engine.progress()
    left = 0
  })
  expect(await lab.run(spider)).toBe('finished')
  expect(busy?.idle).toBeUndefined()
  expect(idle?.idle).toEqual({ elsewhere: 7 })
})

/** What the engine looks at. */
class FakeFleet implements Pick<Fleet, 'state' | 'activeAt' | 'holds'> {
  state: FleetState | undefined
  activeAt = 0

  holds(): boolean {
    return true
  }
}

class NoStarts implements StartSource {
  takes = 0

  async take() {
    this.takes++
    return { requests: [], add: async () => ({ added: 0, duplicates: 0 }) }
  }

  async count(): Promise<number> {
    return 0
  }
}
