import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from './fake-clock.ts'
import type { Hit } from './judge/hit.ts'
import { limitsFor } from './judge/limits.ts'
import { Judge } from './judge.ts'

let clock: FakeClock
let judge: Judge
beforeEach(() => {
  clock = new FakeClock()
  judge = new Judge(clock)
})

function start(path: string, { host = 'a.test', method = 'GET', address = '127.0.0.1' } = {}): Hit {
  return judge.started({ host, path, method, address, userAgent: 'Orbweaver' })
}

/** A request that takes `tookMs`; the clock stands at its end afterwards. */
function send(path: string, { tookMs = 10, host = 'a.test', status = 200, waitMs = 0 } = {}): Hit {
  const hit = start(path, { host })
  clock.advance(tookMs)
  judge.ended(hit, { status, waitMs })
  return hit
}

describe('gaps', () => {
  it('measures the delay from the end of a response to the next start', () => {
    send('/1', { tookMs: 400 })
    clock.advance(1_000)
    send('/2', { tookMs: 400 })
    clock.advance(700)
    send('/3')
    expect(verdict()).toMatchObject({ hits: 3, smallestGapMs: 700, smallestStartGapMs: 1_100 })
  })

  it('has no gap with a single hit', () => {
    send('/1')
    expect(verdict()).toMatchObject({ smallestGapMs: Infinity, smallestStartGapMs: Infinity })
  })

  it('counts from the latest end when several requests run', () => {
    const slow = start('/slow')
    send('/quick', { tookMs: 100 })
    clock.advance(50)
    judge.ended(slow)
    clock.advance(30)
    send('/next')
    expect(verdict()).toMatchObject({ smallestGapMs: 30, mostInParallel: 2 })
  })

  it('measures each host separately', () => {
    send('/', { host: 'a.test' })
    send('/', { host: 'b.test' })
    expect(verdict('a.test').smallestGapMs).toBe(Infinity)
  })

  it('groups by address with that option', () => {
    send('/', { host: 'a.test' })
    clock.advance(5)
    send('/', { host: 'b.test' })
    expect(judge.verdicts((hit) => hit.address).get('127.0.0.1')?.smallestGapMs).toBe(5)
  })

  it('allows more after a response that the client broke off, because the server notices late', () => {
    send('/robots.txt')
    clock.advance(1_000)
    judge.ended(start('/endless'), { brokenOff: true })
    clock.advance(960)
    send('/next')
    expect(judge.violations({ minGapMs: 1_000 })).toEqual([])
    expect(judge.violations({ minGapMs: 1_000, hangUpToleranceMs: 10 })).toEqual([
      'a.test: requested again 960 ms after a response was aborted, not 1000 ms',
    ])
  })
})

describe('parallel requests', () => {
  it('are counted at their peak', () => {
    const first = start('/1')
    const second = start('/2')
    judge.ended(first)
    clock.advance(1)
    const third = start('/3')
    judge.ended(second)
    judge.ended(third)
    expect(verdict().mostInParallel).toBe(2)
  })

  it('do not overlap when one starts as the other ends', () => {
    send('/1')
    send('/2')
    expect(verdict().mostInParallel).toBe(1)
  })

  it('count a response that never ends', () => {
    start('/endless')
    clock.advance(60_000)
    send('/next')
    expect(verdict().mostInParallel).toBe(2)
  })
})

describe('robots.txt', () => {
  it('came first when nothing was requested before its end', () => {
    send('/robots.txt')
    send('/')
    expect(verdict().robotsFirst).toBe(true)
  })

  it('did not come first when a page was requested while it was in progress', () => {
    const robots = start('/robots.txt')
    clock.advance(1)
    send('/')
    judge.ended(robots)
    expect(judge.violations({ minGapMs: 0, maxInParallel: 2 })).toEqual([
      'a.test: requested before the response of /robots.txt',
    ])
  })

  it('did not come first when it was never requested', () => {
    send('/')
    expect(verdict().robotsFirst).toBe(false)
    expect(judge.violations({ minGapMs: 0, robotsFirst: false })).toEqual([])
  })
})

it('reports requests to disallowed paths', () => {
  judge.disallow('a.test', '/private/')
  judge.disallow('a.test', '/cgi-bin/')
  send('/robots.txt')
  send('/private/diary')
  send('/public')
  send('/private/diary', { host: 'b.test' })
  expect(verdict().disallowed).toEqual(['/private/diary'])
  expect(judge.violations({ minGapMs: 0, perHost: { 'b.test': { robotsFirst: false } } })).toEqual([
    'a.test: requested /private/diary, which is disallowed',
  ])
})

describe('repeated requests', () => {
  it('are counted by method and path', () => {
    send('/robots.txt')
    for (const path of ['/1', '/1', '/1', '/2']) send(path)
    judge.ended(start('/2', { method: 'HEAD' }))
    expect([...verdict().repeated]).toEqual([['GET /1', 3]])
  })

  it('are allowed up to a budget', () => {
    for (const path of ['/robots.txt', '/1', '/1', '/1']) send(path)
    expect(judge.violations({ minGapMs: 0, maxRepeats: 2 })).toEqual([])
    expect(judge.violations({ minGapMs: 0, maxRepeats: 1 })).toEqual([
      'a.test: 2 repeated requests, not at most 1: GET /1 3 times',
    ])
  })
})

describe('Retry-After', () => {
  it('marks every request to the host as too early until it expires', () => {
    send('/robots.txt')
    send('/1', { status: 429, waitMs: 5_000 })
    clock.advance(3_000)
    send('/2', { tookMs: 0 })
    clock.advance(2_000)
    send('/3')
    expect(verdict().early).toEqual([{ path: '/2', earlyMs: 2_000 }])
  })

  it('is not shortened by a later, shorter one', () => {
    send('/1', { status: 503, waitMs: 5_000, tookMs: 0 })
    send('/2', { status: 503, waitMs: 10, tookMs: 0 })
    clock.advance(4_999)
    send('/3')
    expect(verdict().early.map(({ path }) => path)).toEqual(['/2', '/3'])
  })
})

describe('violations', () => {
  it('are none for a polite crawl', () => {
    send('/robots.txt')
    for (const path of ['/1', '/2', '/3']) {
      clock.advance(1_000)
      send(path)
    }
    expect(judge.violations({ minGapMs: 1_000 })).toEqual([])
  })

  it('name the host, what was seen and what was allowed', () => {
    send('/robots.txt')
    clock.advance(400)
    const first = start('/1')
    clock.advance(1)
    judge.ended(start('/2'))
    judge.ended(first)
    expect(judge.violations({ minGapMs: 1_000 })).toEqual([
      'a.test: requested again 400 ms after a response ended, not 1000 ms',
      'a.test: 2 requests in parallel, not at most 1',
    ])
  })

  it('follow the limits of a host that has its own', () => {
    send('/robots.txt')
    clock.advance(1_000)
    send('/1')
    expect(judge.violations({ minGapMs: 1_000, perHost: { 'a.test': { minGapMs: 2_000 } } })).toHaveLength(1)
    expect(judge.violations({ minGapMs: 2_000, perHost: { 'a.test': { minGapMs: 1_000 } } })).toEqual([])
  })

  it('are judged on the first end of a hit only', () => {
    const hit = send('/robots.txt')
    clock.advance(500)
    judge.ended(hit, { brokenOff: true })
    expect(hit).toMatchObject({ end: clock.now() - 500, brokenOff: false })
  })
})

it('forgets all hits after a reset, including those in progress', () => {
  const hit = start('/1')
  judge.reset()
  judge.ended(hit)
  expect(judge.hits).toEqual([])
  expect(judge.verdicts().size).toBe(0)
})

it('handles 100,000 hits of one host in linear time', () => {
  for (let i = 0; i < 100_000; i++) send(`/${i}`, { tookMs: 1 })
  expect(verdict()).toMatchObject({ hits: 100_000, mostInParallel: 1, smallestGapMs: 0 })
})

function verdict(host = 'a.test') {
  const found = judge.verdicts().get(host)
  if (found === undefined) throw new Error(`no hits on ${host}`)
  return found
}

describe('delays with several requests in parallel', () => {
  beforeEach(() => {
    send('/robots.txt', { tookMs: 10 })
    clock.advance(4_990)
    const slow = start('/slow')
    clock.advance(5_000)
    const next = start('/next')
    clock.advance(300)
    judge.ended(slow)
    clock.advance(300)
    judge.ended(next)
    clock.advance(4_400)
    send('/last')
  })

  it('checks the delay between starts', () => {
    expect(judge.violations(limitsFor({ delayMs: 5_000, maxInFlight: 2 }))).toEqual([])
    expect(judge.violations(limitsFor({ delayMs: 6_000, maxInFlight: 2 }))).toEqual([
      'a.test: a request started 5000 ms after another, not 6000 ms',
    ])
  })

  it("checks Nutch's delay after an end", () => {
    expect(judge.violations(limitsFor({ minDelayMs: 4_400, maxInFlight: 2 }))).toEqual([])
    expect(judge.violations(limitsFor({ minDelayMs: 4_500, maxInFlight: 2 }))).toHaveLength(1)
  })

  it('checks both delays if both are given', () => {
    expect(judge.violations(limitsFor({ delayMs: 6_000, minDelayMs: 4_500, maxInFlight: 2 }))).toHaveLength(2)
  })
})
