import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { defaultRules } from '../../../testing/rule-sets.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { createJudge } from '../../domain/crawldb/create-judge.ts'
import type { Seed } from '../../domain/crawldb/inject-record.ts'
import { normalizeUrl } from '../../domain/url/normalize-url.ts'
import { parseRuleFile } from '../../domain/url/rule-file.ts'
import { inject } from './inject.ts'
import { LineSplitter, parseSeedLine, readSeeds, SeedTally, seedSources } from './read-seeds.ts'

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

  it('decodes a character that is split between two chunks', async () => {
    const bytes = Buffer.from('http://a.test/ä\n')
    const { urls } = await read(['-'], input(bytes.subarray(0, 15), bytes.subarray(15)))
    expect(urls).toEqual(['http://a.test/%C3%A4'])
  })

  it('counts rejected seeds, with a few examples and their positions', async () => {
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

  it('rejects a missing file, and a directory without a file', async () => {
    await expect(read([join(folder, 'nothing')])).rejects.toThrow(ConfigurationError)
    await expect(read([folder])).rejects.toThrow(/no file/)
  })
})

describe('inject', () => {
  it('counts injected, merged, repeated and rejected seeds', async () => {
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

describe('LineSplitter', () => {
  function split(pieces: readonly string[]): string[] {
    const splitter = new LineSplitter()
    const lines = pieces.flatMap((piece) => splitter.push(piece))
    return [...lines, ...splitter.end()]
  }

  it('accepts LF, CRLF and CR as line ends', () => {
    expect(split(['a\nb\r\nc\rd'])).toEqual(['a', 'b', 'c', 'd'])
  })

  it('returns the same lines however the text is split into chunks', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r'), maxLength: 30 })
    fc.assert(
      fc.property(text, fc.nat(30), fc.nat(30), (all, i, j) => {
        const [from, to] = [Math.min(i, j), Math.max(i, j)]
        expect(split([all.slice(0, from), all.slice(from, to), all.slice(to)])).toEqual(split([all]))
      }),
    )
  })

  it('truncates an endless line', () => {
    const splitter = new LineSplitter(10)
    for (let i = 0; i < 100; i++) expect(splitter.push('x'.repeat(100))).toEqual([])
    expect(splitter.end()[0]).toHaveLength(10)
  })
})

describe('parseSeedLine', () => {
  it.each(['', '   ', '# http://a.test/', '  # x', '\r'])('skips %j', (line) => {
    expect(parseSeedLine(line)).toEqual({ kind: 'blank' })
  })

  it('trims a bare URL', () => {
    expect(parseSeedLine(' http://a.test/ \r')).toEqual({
      kind: 'seed',
      seed: { url: 'http://a.test/', metadata: {} },
      badItems: [],
    })
  })

  it.each([
    ['nutch.score=2.5', { score: 2.5 }],
    ['score=2.5', { score: 2.5 }],
    ['nutch.fetchInterval=60', { fetchInterval: 60 }],
    ['fetchInterval=60', { fetchInterval: 60 }],
    ['nutch.fetchInterval.fixed=90', { fixedInterval: 90 }],
    ['fetchInterval.fixed=90', { fixedInterval: 90 }],
  ])('recognises the reserved key in %j', (item, expected) => {
    expect(parseSeedLine(`http://a.test/\t${item}`)).toMatchObject({ seed: { ...expected, metadata: {} } })
  })

  it('keeps other items as metadata, trimmed, up to the first equals sign for the key', () => {
    const line = 'http://a.test/\t topic = open source \tq=a=b\tno item\t=x'
    expect(parseSeedLine(line)).toMatchObject({ seed: { metadata: { topic: 'open source', q: 'a=b' } } })
  })

  it('recognises a reserved key with a space before it, which Nutch does not', () => {
    expect(parseSeedLine('http://a.test/\t nutch.score=3')).toMatchObject({
      seed: { score: 3, metadata: {} },
    })
  })

  it.each([
    'nutch.score=high',
    'nutch.score=',
    'score=Infinity',
    'fetchInterval=0',
    'fetchInterval.fixed=-1',
  ])('ignores %j but keeps the URL', (item) => {
    const line = parseSeedLine(`http://a.test/\t${item}`)
    expect(line).toMatchObject({ seed: { url: 'http://a.test/', metadata: {} } })
    expect(line.kind === 'seed' && line.badItems).toHaveLength(1)
    expect(line.kind === 'seed' && Object.keys(line.seed)).toEqual(['url', 'metadata'])
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (line) => void parseSeedLine(line)))
  })
})
