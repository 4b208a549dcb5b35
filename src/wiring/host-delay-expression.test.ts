import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestCrawl } from '../../testing/crawl-directory.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import { withHostDelays } from './host-delay-expression.ts'

let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
  await crawl.inject(['http://a.test/', 'http://b.test/1', 'http://b.test/2'])
})
afterEach(() => crawl.remove())

const politeness = {
  delayMs: 1_000,
  overrides: (key: string) => (key === 'a.test' ? { delayMs: 7, maxInFlight: 2 } : undefined),
}

async function delays(delayExpr: string) {
  const settings = { hostDb: { delayExpr } } as unknown as Settings
  const { overrides } = await withHostDelays({ ...crawl.directory, settings, path: crawl.path }, politeness)
  return ['a.test', 'b.test', 'c.test'].map((host) => overrides?.(host))
}

it('gives each host the delay of the expression; an entry of the settings takes precedence', async () => {
  expect(await delays('urls * 1.5')).toEqual([{ delayMs: 7, maxInFlight: 2 }, { delayMs: 3_000 }, undefined])
})

it('names the setting that cannot be used', async () => {
  await expect(delays('nonsense * 2')).rejects.toThrow(
    /^hostDb\.delayExpr "nonsense \* 2" cannot be used: .*"nonsense" not found; .* lists the columns of hostdb$/,
  )
})

it('leaves hosts as they are for which the expression gives NULL or less than 0', async () => {
  expect((await delays('NULL'))[1]).toBeUndefined()
  expect((await delays('-1'))[1]).toBeUndefined()
})
