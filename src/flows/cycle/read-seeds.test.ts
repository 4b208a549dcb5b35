import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultRules, TestCrawl } from '../../../testing/crawl-directory.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { Seed } from '../../domain/crawldb/inject-record.ts'
import { normalizeUrl } from '../../domain/url/normalize-url.ts'
import { parseRuleFile } from '../../domain/url/rule-file.ts'
import { createJudge } from './create-judge.ts'
import { inject } from './inject.ts'
import { readSeeds, SeedTally } from './read-seeds.ts'
import { seedSources } from './seed-sources.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orbweaver-seeds-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const judge = createJudge({ normalize: normalizeUrl, filter: parseRuleFile('-\\.gif$\n+.', 'rules.txt') })

async function* noInput(): AsyncGenerator<Uint8Array> {}

async function* input(...pieces: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
}

async function read(names: readonly string[], standardInput = noInput()) {
  const tally = new SeedTally(2)
  const skipped: string[] = []
  const seeds: Seed[] = []
  for await (const batch of readSeeds(
    seedSources(names, standardInput, (path) => skipped.push(path)),
    judge,
    tally,
  )) {
    seeds.push(...batch)
  }
  return { seeds, urls: seeds.map(({ url }) => url), tally, skipped }
}

describe('readSeeds', () => {
  it('reads files, directories, standard input and URLs', async () => {
    await mkdir(join(folder, 'deeper'))
    await writeFile(join(folder, 'b.txt'), 'http://b.test/\n')
    await writeFile(join(folder, 'a.txt'), '\ufeffhttp://a.test/\tscore=2\r\n\r\n# no\r\nhttp://a2.test')
    const { seeds, urls, tally, skipped } = await read(
      [folder, '-', 'https://argument.test'],
      input('http://in', 'put.test/\rhttp://two.test/'),
    )
    expect(urls).toEqual([
      'http://a.test/',
      'http://a2.test/',
      'http://b.test/',
      'http://input.test/',
      'http://two.test/',
      'https://argument.test/',
    ])
    expect(seeds[0]).toEqual({ url: 'http://a.test/', score: 2, metadata: {} })
    expect(tally.seeds).toBe(6)
    expect(skipped).toEqual([join(folder, 'deeper')])
  })

  it('puts a character together that two pieces share', async () => {
    const bytes = Buffer.from('http://a.test/ä\n')
    const { urls } = await read(['-'], input(bytes.subarray(0, 15), bytes.subarray(15)))
    expect(urls).toEqual(['http://a.test/%C3%A4'])
  })

  it('counts what it rejects, with a few examples and where they are', async () => {
    const lines = [
      'http://a.test/x.gif',
      'ftp://a.test/',
      'http://a.test/y.gif',
      'http://a.test/z.gif',
      'http://ok/\tscore=x',
    ]
    const { urls, tally } = await read(['-'], input(lines.join('\n')))
    expect(urls).toEqual(['http://ok/'])
    expect(Object.fromEntries(tally.rejected)).toEqual({ filtered: 3, scheme: 1 })
    expect(tally.badItems).toBe(1)
    expect(tally.examples).toEqual([
      { at: 'stdin:1', url: 'http://a.test/x.gif', reason: expect.stringContaining('rules.txt:1') },
      { at: 'stdin:2', url: 'ftp://a.test/', reason: expect.any(String) },
      { at: 'stdin:3', url: 'http://a.test/y.gif', reason: expect.any(String) },
      { at: 'stdin:5', url: 'http://ok/', reason: 'score=x is not a number' },
    ])
  })

  it('refuses what is not there, and a directory without a file', async () => {
    await expect(read([join(folder, 'nothing')])).rejects.toThrow(ConfigurationError)
    await expect(read([folder])).rejects.toThrow(/no file/)
  })
})

describe('inject', () => {
  it('adds up what became of the seeds', async () => {
    const crawl = await TestCrawl.create()
    try {
      await crawl.inject(['http://old.test/'])
      const text = 'http://old.test\nhttp://new.test\nhttp://NEW.test/\nmailto:x@y.test\n'
      const summary = await inject(
        crawl.db,
        seedSources(['-'], input(text), () => {}),
        {
          rules: defaultRules,
          judge,
          now: 0,
        },
      )
      expect(summary).toMatchObject({
        seeds: 4,
        injected: 1,
        merged: 1,
        repeated: 1,
        rejected: { scheme: 1 },
        badItems: 0,
      })
    } finally {
      await crawl.remove()
    }
  })
})
