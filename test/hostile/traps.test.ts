import { describe, expect, it } from 'vitest'
import { steadyClock } from '../../src/base/clock.ts'
import { readPage } from '../../src/domain/content/read-page.ts'
import type { ScanOptions } from '../../src/domain/html/html-scan.ts'
import { CandidateUrl } from '../../src/domain/url/candidate-url.ts'
import { normalizeUrl } from '../../src/domain/url/normalize-url.ts'
import { parseRuleFile } from '../../src/domain/url/rule-file.ts'
import { trapFilter } from '../../src/domain/url/trap-filter.ts'
import { useHostileWeb } from './hostile-web.ts'

const hostile = useHostileWeb()

describe('40: rules of the operator match in linear time', () => {
  it.each([
    ['(a+)+$', 'a'],
    ['(a|a)*b', 'a'],
    ['(a|aa)+$', 'a'],
    ['(.*a){20}$', 'a'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
    ['(x+x+)+y', 'x'],
  ])('-%s, on a URL made for it', (pattern, letter) => {
    const filter = parseRuleFile(`-${pattern}\n+.\n`, 'rules.txt')
    const url = new CandidateUrl(`http://a.test/${letter.repeat(8_000)}!`)
    expect(typeof filter.judge(url).accepted).toBe('boolean')
  })
})

describe('55: a crawl of an endless site ends', () => {
  it.each([
    ['a calendar', 'calendar.test', 60],
    ['segments that come round again', 'deeper.test', 20],
  ])('%s', async (_, host, atMost) => {
    const pages = await follow(`${hostile.web.origin(host)}/`, atMost + 1)
    expect(pages).toBeLessThanOrEqual(atMost)
    expect(pages).toBeGreaterThan(1)
  })

  it.each([
    ['too many parameters', `http://a.test/?${Array.from({ length: 40 }, (_, i) => `f${i}=1`).join('&')}`],
    ['one parameter again and again', `http://a.test/?${'color=red&'.repeat(9)}`],
    ['too many segments', `http://a.test${Array.from({ length: 30 }, (_, i) => `/s${i}`).join('')}`],
    ['the year 9999', 'http://a.test/calendar/9999/12/31'],
  ])('%s', (_, url) => {
    expect(trapFilter(steadyClock).judge(new CandidateUrl(url))).toMatchObject({ accepted: false })
  })
})

it('54: finds one page for links with different session ids', async () => {
  const fetcher = hostile.fetcher()
  const urls = new Set<string>()
  for (let i = 0; i < 3; i++)
    for (const link of await linksOf(fetcher, `${hostile.web.origin('sessions.test')}/`)) urls.add(link)
  expect([...urls]).toEqual([`${hostile.web.origin('sessions.test')}/page`])
})

it('58: computes the same text signatures for a page with a different token in each response', async () => {
  const fetcher = hostile.fetcher()
  const readings = [await read(fetcher, nonce()), await read(fetcher, nonce())].map(
    ({ signatures }) => signatures,
  )
  const [first, second] = readings
  expect(first?.textProfile).toBe(second?.textProfile)
  expect(first?.simHash).toBe(second?.simHash)
  expect(first?.md5).not.toBe(second?.md5)

  function nonce(): string {
    return `${hostile.web.origin('nonce.test')}/`
  }
})

it('57: truncates the links of a page at the limit, and reports it', async () => {
  const fetcher = hostile.fetcher({ maxBodyBytes: 10_000_000 })
  const reading = await read(fetcher, `${hostile.web.origin('links.test')}/`, { maxLinks: 10_000 })
  expect(reading.links).toHaveLength(10_000)
  expect(reading.truncated).toBe(true)
})

type Fetcher = ReturnType<typeof hostile.fetcher>

async function read(fetcher: Fetcher, url: string, scan: ScanOptions = {}) {
  const outcome = await fetcher.fetch({ url })
  if (outcome.kind !== 'success') throw new Error(outcome.kind)
  const { response, body } = outcome
  return readPage(
    { url, headers: response.headers, bytes: body.bytes },
    { agent: 'Orbweaver', normalize: normalizeUrl, scan },
  )
}

async function linksOf(fetcher: Fetcher, url: string): Promise<string[]> {
  return (await read(fetcher, url)).links.map((link) => link.url)
}

/** Number of pages reached by following the first link of each, up to `atMost`, without links that the trap filter rejects. */
async function follow(start: string, atMost: number): Promise<number> {
  const fetcher = hostile.fetcher()
  const trap = trapFilter(steadyClock)
  let pages = 0
  let next: string | undefined = start
  while (next !== undefined && pages < atMost) {
    pages++
    const [link]: string[] = await linksOf(fetcher, next)
    next = link !== undefined && trap.judge(new CandidateUrl(link))?.accepted !== false ? link : undefined
  }
  return pages
}
