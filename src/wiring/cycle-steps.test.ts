import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Interrupted } from '../base/interrupted.ts'
import type { CrawlSession } from './crawl-session.ts'
import { mergeDbStep, mergeLinkDbStep } from './cycle-steps.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-merge-'))
const directories = ['first', 'second', 'third', 'fourth'].map((name) => join(folder, name))
const [first = '', second = '', third = ''] = directories

beforeAll(() => {
  for (const directory of directories) {
    mkdirSync(directory)
    writeFileSync(join(directory, 'crawldb.duckdb'), '')
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Is interrupted when it merges the third crawl. */
const mergeRecords = async (directory: string) => {
  if (directory === third) throw new Interrupted()
  return { records: 1, added: 1, replaced: 0 }
}
const session = {
  path: join(folder, 'crawl'),
  db: { mergeRecords },
  links: { mergeLinks: async (directory: string) => (await mergeRecords(directory)).added },
} as unknown as CrawlSession

it('names the crawls that were merged before an interruption', async () => {
  const message = `interrupted; ${first}, ${second} merged, the rest not: run the command again`
  const kept = { code: 'INTERRUPTED', message }
  await expect(mergeDbStep(session, directories, {})).rejects.toMatchObject(kept)
  await expect(mergeLinkDbStep(session, directories, {})).rejects.toMatchObject(kept)
  await expect(mergeDbStep(session, [third, first], {})).rejects.toMatchObject({
    message: expect.stringContaining('nothing was changed'),
  })
})
