import { expect, it } from 'vitest'
import { type CrawlRecord, unfetchedRecord } from './crawl-record.ts'
import { compareRecords } from './record-order.ts'

const timing = { fetchTime: 5, fetchInterval: 5, modifiedTime: 5, retries: 5 }
const plain = unfetchedRecord({ url: 'http://a.test/', ...timing, score: 5, metadata: {} })

// Each field in turn, the better value first; the fields after it say the opposite.
const FIELDS: readonly [Partial<CrawlRecord>, Partial<CrawlRecord>][] = [
  [{ score: 6 }, { score: 5 }],
  [{ status: 'db_unfetched' }, { status: 'db_fetched' }],
  [{ fetchTime: 6 }, { fetchTime: 5 }],
  [{ retries: 6 }, { retries: 5 }],
  [{ fetchInterval: 6 }, { fetchInterval: 5 }],
  [{ modifiedTime: 6 }, { modifiedTime: 5 }],
  [{ signature: 'ff' }, { signature: '0000' }],
]

it.each(FIELDS.map((pair, i) => [i, ...pair] as const))(
  'sorts by field %i: %o before %o',
  (i, better, worse) => {
    const later = FIELDS.slice(i + 1)
    const first = { ...plain, ...Object.assign({}, ...later.map(([, bad]) => bad)), ...better }
    const second = { ...plain, ...Object.assign({}, ...later.map(([good]) => good)), ...worse }
    expect(compareRecords(first, second)).toBeLessThan(0)
    expect(compareRecords(second, first)).toBeGreaterThan(0)
  },
)

it('puts no signature first, and equal ones nowhere', () => {
  const signed = (signature?: string): CrawlRecord => ({ ...plain, signature })
  expect(compareRecords(signed(), signed('00'))).toBeLessThan(0)
  expect(compareRecords(signed('09'), signed('0a'))).toBeLessThan(0)
  expect(compareRecords(signed('0a'), signed('0a'))).toBe(0)
})
