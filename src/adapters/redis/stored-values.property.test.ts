import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STORED_REQUEST as request } from '../../../testing/stored-request-example.ts'
import { headerFault } from '../../domain/fetch/headers.ts'
import { parseRobots } from '../../domain/robots/parse-robots.ts'
import { isCurrent } from '../../domain/robots/robots-record.ts'
import { requestParts } from '../../flows/spider/request-options.ts'
import { readStartMessage } from '../scrapy/start-message.ts'
import { readDelays } from './crawl-delays.ts'
import { readLease } from './read-lease.ts'
import { readCounts, readWorkers } from './read-status.ts'
import { readLetter } from './redis-dead-letters.ts'
import { readItem } from './redis-item-log.ts'
import { readRobots } from './redis-robots-store.ts'
import { readSeenText } from './seen-options.ts'
import { StartDecoder } from './start-messages.ts'
import { readCookies } from './stored-cookies.ts'
import { LAST_TIME, readRequest } from './stored-request.ts'
import { readThrottle } from './stored-throttle.ts'

const NOW = 1_800_000_000_000
const ORIGIN = 'http://a.test'
const RUNS = { numRuns: 500 }

/** Values that a hostile or broken program might store where a number, a time or a text belongs. */
const anything = fc.oneof(
  fc.jsonValue(),
  fc.double(),
  fc.constantFrom(1e300, -1, 0.5, 2 ** 53, LAST_TIME + 1, NOW + 1, '', '__proto__', 'constructor', null),
  fc.constantFrom({ host: 'evil.test' }, { 'x\r\ny': 'z' }, { accept: 'a\nb' }, { 'content-length': '9' }),
)

/** Bytes, JSON of any kind, and JSON of `whole` with some of its members replaced or missing, also nested ones. */
function storedLike(whole: object): fc.Arbitrary<string> {
  const members = Object.entries(whole).map(([name, value]: [string, unknown]) => {
    const inner = typeof value === 'object' && value !== null && !Array.isArray(value) ? [mutated(value)] : []
    return [name, fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, ...inner, anything)] as const
  })
  const many = fc.record(Object.fromEntries(members), { requiredKeys: [] })
  const few = fc
    .subarray(members, { maxLength: Math.min(2, members.length) })
    .chain((some) => fc.record(Object.fromEntries(some)))
    .map((replaced) => ({ ...whole, ...replaced }))
  const like = fc.oneof(many, few).map((value) => JSON.stringify(value))
  return fc.oneof(fc.string({ unit: 'binary' }), fc.json(), { weight: 6, arbitrary: like })
}

function mutated(whole: object): fc.Arbitrary<object> {
  const members = Object.entries(whole).map(([name, value]: [string, unknown]) => [
    name,
    fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, anything),
  ])
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] })
}

describe('a value read from Redis', () => {
  it('is a request that can be sent, or none', () => {
    checkReadable(storedLike(request), readRequest, expectSendable)
  })

  it('is a lease whose requests can be sent and whose numbers are in bounds', () => {
    const cell = fc.oneof(fc.constantFrom('1', '0', '-5', '99999999999999999999'), fc.string())
    const taken = fc.tuple(cell, cell, cell, fc.string(), storedLike(request))
    const check = fc.property(fc.array(taken), fc.string(), (rows, state) => {
      const lease = readLease(['ok', '1-1-', rows.flat(), [], state], 'hosts')
      expect(lease.requests.length + lease.malformed.length).toBe(rows.length)
      for (const { leased } of lease.requests) {
        expectSendable(leased.request)
        expectIn(leased.attempt, 1, LAST_TIME)
        expect(leased.rank).not.toBeNaN()
      }
    })
    fc.assert(check, RUNS)
  })

  it('is a throttle state whose times a Date can hold', () => {
    const throttle = {
      ...{ readyAt: 9_000, endedAt: 2_000, failures: 1, crawlDelayMs: 3_000, latencyMs: 20 },
      parked: { until: 20_000, reason: 'x' },
    }
    const lostAt = fc.oneof(fc.constantFrom('', '100000', '1e300', '-1', 'NaN', 'Infinity'), fc.string())
    const stored = fc.tuple(storedLike(throttle), lostAt)
    const readStored = ([json, lost]: readonly [string, string]) =>
      readThrottle('a.test', json, lost, { restMs: 5_000, now: NOW })
    checkReadable(stored, readStored, (read) => {
      expect(read.key).toBe('a.test')
      for (const number of [read.readyAt, read.failures, read.crawlDelayMs, read.latencyMs])
        expectIn(number, 0, LAST_TIME)
      expectIn(read.endedAt ?? 0, 0, LAST_TIME)
      expectIn(read.parked?.until ?? 0, 0, LAST_TIME)
    })
  })

  it('is a list of cookies that can be sent', () => {
    const cookie = {
      ...{ name: 'id', value: '1', domain: 'a.test', hostOnly: true, path: '/', secure: false },
      expiresAt: NOW,
    }
    const stored = fc.oneof(
      storedLike([cookie, { ...cookie, name: 'b' }]),
      storedLike(cookie).map((text) => `[${text}]`),
      fc.constant(JSON.stringify(Array.from({ length: 80 }, () => cookie))),
    )
    const readStored = (text: string) => {
      const cookies = readCookies(text)
      return cookies.length === 0 ? undefined : cookies
    }
    checkReadable(stored, readStored, (cookies) => {
      expect(cookies.length).toBeLessThanOrEqual(50)
      for (const { name, value, domain, path, expiresAt } of cookies) {
        expect(headerFault('cookie', `${name}=${value}`)).toBeUndefined()
        expect(`${name}${value}`).not.toContain(';')
        expectIn(name.length + value.length, 1, 4_096)
        expectIn(domain.length, 1, 255)
        expectIn(path.length, 0, 4_096)
        expect(expiresAt).toSatisfy(Number.isFinite)
      }
    })
  })

  it('is a robots.txt record that holds no longer than a day, or none', () => {
    const times = { checkedAt: NOW - 1, freshUntil: NOW + 1 }
    const finding = {
      kind: 'file',
      octets: 'User-agent: *',
      cut: false,
      url: ORIGIN,
      validators: {},
      ...times,
    }
    const outage = { reason: 'x', since: NOW - 1, failures: 2, retryAt: NOW + 3 }
    const stored = fc.oneof(
      storedLike({ origin: ORIGIN, finding }),
      storedLike({ origin: ORIGIN, finding: { kind: 'denied', reason: 'x', ...times } }),
      storedLike({ origin: ORIGIN, outage }),
      storedLike({ origin: ORIGIN, finding, outage }),
    )
    const readStored = (json: string) => readRobots(ORIGIN, json, NOW)
    checkReadable(stored, readStored, (record) => {
      expect(isCurrent(record, NOW + 24 * 3_600_000)).toBe(false)
      expectIn(record.outage?.failures ?? 0, 0, 1_000)
      expectIn(record.outage?.since ?? 0, 0, NOW)
      expectIn(record.finding?.checkedAt ?? 0, 0, NOW)
      if (record.finding?.kind === 'file') parseRobots(Buffer.from(record.finding.octets, 'latin1'))
    })
  })

  it('is a dead letter whose request can be sent and whose time a Date can hold, or none', () => {
    const letter = { n: 1, attempts: 2, failedAt: NOW, code: 'http-500', reason: 'x', stack: 'y', request }
    checkReadable(storedLike(letter), readLetter, (read) => {
      expectSendable(read.request)
      expectIn(read.failedAt, 0, LAST_TIME)
      expectIn(read.attempts, 0, LAST_TIME)
    })
  })

  it('is an item that can be written again, or none', () => {
    checkReadable(storedLike({ title: 'x', parts: { a: 1 } }), readItem, (item) => {
      expect(typeof JSON.stringify(item)).toBe('string')
    })
  })

  it('is a count, a time or 0', () => {
    const names = [
      'waiting',
      'done',
      'state',
      'failed x',
      'retried __proto__',
      '__proto__',
      'constructor',
      'toString',
    ]
    const cell = fc.oneof(fc.constantFrom(...names, '7', '-7', '1e300', 'NaN'), fc.string(), fc.integer())
    fc.assert(
      fc.property(fc.array(cell), (reply) => {
        for (const count of Object.values(readCounts(reply).counts)) expectIn(count, 0, LAST_TIME)
      }),
      RUNS,
    )
    const worker = fc.tuple(cell, cell, cell, cell, cell, cell, cell, storedLike({ pages: 1 }))
    fc.assert(
      fc.property(fc.array(worker), (reply) => {
        for (const { fence, joinedAt, heardAt, expiresAt, leased, hosts, status } of readWorkers(reply)) {
          for (const number of [fence, joinedAt, heardAt, expiresAt, leased, hosts])
            expectIn(number, 0, LAST_TIME)
          JSON.stringify(status)
        }
      }),
      RUNS,
    )
  })

  it('is the reason of a delay', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('1', '7', '-1', '1e300', 'inf'))
    const states = fc.array(
      fc.tuple(fc.string(), storedLike({ readyAt: 1, failures: 1, crawlDelayMs: 0, latencyMs: 0 })),
    )
    const check = fc.property(fc.array(cell), cell, states, (attempts, due, hosts) => {
      const delays = readDelays([attempts, due, hosts.flat()])
      expect(delays.retries + delays.scheduled).toBe(attempts.length)
      expectIn(delays.nextDueAt ?? 0, 0, LAST_TIME)
      expect(Object.values(delays.hosts).reduce((sum, n) => sum + n, 0)).toBe(hosts.length)
    })
    fc.assert(check, RUNS)
  })

  it('is a rule for the seen set, or the default', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('own 5 x', 'scrapy-b 0 y', `own ${'9'.repeat(40)} x`))
    const check = fc.property(text, (stored) => {
      const { dupefilter, periodMs } = readSeenText(stored, 'base')
      expect(['own', 'scrapy-a', 'scrapy-b', 'scrapy-c']).toContain(dupefilter)
      expectIn(periodMs, 0, LAST_TIME)
    })
    fc.assert(check, RUNS)
  })

  it('is the text of a start message, or the reason why it is not', () => {
    const wire = fc.oneof(
      fc.string().map((text) => `t${text}`),
      fc.uint8Array().map((bytes) => `x${Buffer.from(bytes).toString('hex')}`),
      fc.string(),
    )
    const decoder = new StartDecoder('utf-8')
    const check = fc.property(wire, (message) => {
      expect(typeof decoder.decode(message).text).toBe('string')
    })
    fc.assert(check, RUNS)
  })

  it.each(['rich', 'strict'] as const)('is a start message that makes a request (%s), or none', (reading) => {
    const message = {
      ...{ url: 'http://a.test/', method: 'post', headers: { accept: '*/*' }, body: 'x', priority: 1 },
      ...{ cookies: { a: 'b' }, handler: 'parse', meta: { a: [1] }, dontFilter: false },
    }
    const { body: _, ...bodiless } = message
    const stored = fc.oneof(
      storedLike(message),
      storedLike({ ...bodiless, form: { a: '1' } }),
      storedLike({ ...bodiless, json: [1] }),
    )
    const readStored = (text: string) => {
      const read = readStartMessage(text, { reading })
      return read.ok ? read.start : undefined
    }
    checkReadable(stored, readStored, ({ href, options }) => {
      requestParts(options)
      expect(options.priority ?? 0).toSatisfy(Number.isFinite)
      expect(['http:', 'https:']).toContain(new URL(href).protocol)
    })
  })

  it('is none when it is nested so deep that it could not be written again', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    expect(
      readRequest(`{"url":"http://a.test/","handler":"p","depth":0,"meta":{"deep":${deep}}}`),
    ).toBeUndefined()
    expect(readItem(`{"deep":${deep}}`)).toBeUndefined()
  })
})

/** Checks every stored value that can be read, and that there are some. */
function checkReadable<Stored, Value>(
  stored: fc.Arbitrary<Stored>,
  read: (stored: Stored) => Value | undefined,
  check: (value: Value) => void,
): void {
  let readable = 0
  const property = fc.property(stored, (given) => {
    const value = read(given)
    if (value === undefined) return
    readable++
    check(value)
  })
  fc.assert(property, RUNS)
  expect(readable, 'readable values').toBeGreaterThan(0)
}

function expectIn(number: number, least: number, most: number): void {
  expect(number).toBeGreaterThanOrEqual(least)
  expect(number).toBeLessThanOrEqual(most)
}

function expectSendable({
  url,
  headers = {},
  depth,
  handler,
}: NonNullable<ReturnType<typeof readRequest>>): void {
  expect(['http:', 'https:']).toContain(new URL(url).protocol)
  for (const [name, value] of Object.entries(headers)) expect(headerFault(name, value)).toBeUndefined()
  expectIn(depth, 0, Number.MAX_SAFE_INTEGER)
  expect(handler).not.toBe('')
}
