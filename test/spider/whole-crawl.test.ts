import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runSpider } from '../../src/wiring/run-spider.ts'
import type { SpiderResult } from '../../src/wiring/run-spider-options.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { expectedRequests, violationsOf, webSpider } from './web-spider.ts'

describe('a spider that crawls a web of 2,000 pages by rules', () => {
  let web: SyntheticWeb
  let folder: string
  let result: SpiderResult

  beforeAll(async () => {
    web = await startSyntheticWeb({ hosts: 40, pages: 2_000 })
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-spider-'))
    result = await runSpider(webSpider(web.seeds), {
      dir: join(folder, 'crawl'),
      out: join(folder, 'items.jsonl'),
    })
  })
  afterAll(async () => {
    await web.close()
    rmSync(folder, { recursive: true })
  })

  it('yields an item for exactly the reachable and allowed pages', () => {
    const { items } = expectedRequests(web)
    expect(items.length).toBeGreaterThan(1_500)
    const lines = readFileSync(join(folder, 'items.jsonl'), 'utf8').trim().split('\n')
    const exported = lines.map((line) => String(JSON.parse(line).url)).sort()
    expect(differences(exported, items)).toEqual([])
    expect(result).toMatchObject({ ended: 'finished', stats: { items: items.length, pages: items.length } })
    expect(result.pending).toMatchObject({ ready: 0, delayed: 0, leased: 0 })
  })

  it('requests nothing else', () => {
    const requested = new Set(
      web.requested.map(({ url }) => url).filter((url) => !url.endsWith('/robots.txt')),
    )
    expect(differences([...requested].sort(), expectedRequests(web).requested)).toEqual([])
  })

  it('is polite throughout', () => {
    // Server errors, 503s and broken connections are requested twice.
    expect(violationsOf(web, 3)).toEqual([])
  })
})

/** Only the first ones: the whole list is too long for a message. */
function differences(actual: readonly string[], wanted: readonly string[]): string[] {
  const extra = actual.filter((url) => !wanted.includes(url)).map((url) => `extra ${url}`)
  const missing = wanted.filter((url) => !actual.includes(url)).map((url) => `missing ${url}`)
  const twice = actual.filter((url, i) => actual[i - 1] === url).map((url) => `twice ${url}`)
  return [...extra, ...missing, ...twice].slice(0, 10)
}
