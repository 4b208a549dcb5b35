import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TooManyHandlerErrors } from '../../src/flows/spider/handler-errors.ts'
import { spider } from '../../src/wiring/define-spider.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { expectedRequests, violationsOf, webSpider } from './web-spider.ts'

let webs: SyntheticWeb[]
let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-side-by-side-'))
  webs = await Promise.all(
    [1, 2, 3, 4].map((seed) => startSyntheticWeb({ hosts: 3, pages: 60, hostile: false, seed })),
  )
})
afterEach(async () => {
  for (const web of webs) await web.close()
  rmSync(folder, { recursive: true })
})

it('runs several spiders in one process, independent of each other', async () => {
  const [one, two, broken, interrupted] = webs
  if (!one || !two || !broken || !interrupted) throw new Error('no webs')
  const controller = new AbortController()
  const outOf = (name: string) => join(folder, `${name}.jsonl`)
  const [first, second, third, fourth] = await Promise.allSettled([
    runSpider(webSpider(one.seeds), { out: outOf('one') }),
    runSpider(webSpider(two.seeds), { out: outOf('two'), dir: join(folder, 'two') }),
    runSpider(
      spider({
        ...webSpider(broken.seeds),
        parse() {
          throw new Error('broken')
        },
        limits: { maxHandlerErrorsInRow: 2 },
      }),
    ),
    runSpider(
      spider({
        ...webSpider(interrupted.seeds),
        parse: () => controller.abort(),
      }),
      { signal: controller.signal },
    ),
  ])
  for (const [result, web, name] of [
    [first, one, 'one'],
    [second, two, 'two'],
  ] as const) {
    const { items } = expectedRequests(web)
    expect(result).toMatchObject({
      status: 'fulfilled',
      value: { ended: 'finished', stats: { items: items.length } },
    })
    const lines = readFileSync(outOf(name), 'utf8').trim().split('\n')
    expect(lines.map((line) => String(JSON.parse(line).url)).sort()).toEqual(items)
    expect(violationsOf(web, 0)).toEqual([])
  }
  expect(third).toMatchObject({ status: 'rejected', reason: expect.any(TooManyHandlerErrors) })
  expect(fourth).toMatchObject({ status: 'fulfilled', value: { ended: 'interrupted' } })
  // Four sites at the same addresses: each crawl was polite to its own.
  expect(expectedRequests(one).items).not.toEqual(expectedRequests(two).items)
})
