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
import { createDepthScoring } from '../../domain/scoring/depth-scoring.ts'
import { normalizeUrl } from '../../domain/url/normalize-url.ts'
import { parseRuleFile } from '../../domain/url/rule-file.ts'
import { inject } from './inject.ts'
import {
  LineSplitter,
  parseSeedLine,
  readPlainSeeds,
  readSeeds,
  SeedTally,
  seedSources,
} from './read-seeds.ts'

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

describe('readPlainSeeds', () => {
  const LINES = [
    ...['http://a.test/', 'https://b.test/c?d=1', 'http://a.test/x.html', 'http://a.test/y'],
    ...[
      'http://a.test/x.gif',
      'HTTP://A.test',
      'http://a.test/\tscore=2',
      'http://a.test/\tscore=x',
      ' http://a.test/ ',
    ],
    ...['# comment', '', 'http://a.test/ä', 'http://a.test/%41', 'ftp://a.test/', '\ufeffhttp://a.test/'],
  ]
  const text = fc
    .array(fc.tuple(fc.constantFrom(...LINES), fc.constantFrom('\n', '\n', '\n', '\r\n', '\r')), {
      maxLength: 12,
    })
    .map((lines) => Buffer.from(lines.flat().join('')))
    .chain((bytes) => fc.tuple(fc.constant(bytes), fc.integer({ min: 0, max: bytes.length })))
    .map(([bytes, end]) => bytes.subarray(0, end))

  /** All that is read of a text that comes in chunks of `size` bytes. */
  async function readBy(reader: typeof readPlainSeeds, bytes: Uint8Array, size: number) {
    const chunks: Uint8Array[] = []
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
    async function* sources() {
      yield { name: 'seeds.txt', text: chunks }
    }
    const tally = new SeedTally(3)
    const seeds: Seed[] = []
    for await (const batch of reader(sources(), judge, tally))
      for (const seed of batch) {
        if (!('count' in seed)) seeds.push(seed)
        else {
          const urls = seed.urls.split('\n')
          expect(urls).toHaveLength(seed.count)
          for (const url of urls) seeds.push({ url, metadata: {} })
        }
      }
    return { read: seeds, ...tally }
  }

  it('reads the same seeds, with the same counts and problems, as readSeeds', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 60 }), async (bytes, size) => {
        const expected = await readBy(readSeeds, bytes, bytes.length + 1)
        expect(await readBy(readPlainSeeds, bytes, size)).toEqual(expected)
        expect(await readBy(readPlainSeeds, bytes, bytes.length + 1)).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('passes plain URLs together, and judges other lines in their order', async () => {
    const lines = [
      'http://a.test/',
      'http://b.test/',
      'HTTP://C.test',
      '',
      'http://d.test/',
      'http://e.test/',
    ]
    const batches = []
    for await (const batch of readPlainSeeds(
      seedSources(['-'], input(lines.join('\n')), () => {}),
      judge,
      new SeedTally(),
    ))
      batches.push(...batch)
    expect(batches).toEqual([
      { urls: 'http://a.test/\nhttp://b.test/', count: 2 },
      { url: 'http://c.test/', metadata: {} },
      { urls: 'http://d.test/', count: 1 },
      { url: 'http://e.test/', metadata: {} },
    ])
  })
})

describe('inject', () => {
  it.each([
    ['a judge that accepts plain URLs', { acceptsPlain: true }, defaultRules.scoring],
    ['any other judge', {}, defaultRules.scoring],
    ['a scoring that depends on the URL', { acceptsPlain: true }, createDepthScoring()],
  ] as const)('gives a large file the same records with %s', async (_, assertion, scoring) => {
    const crawl = await TestCrawl.create()
    try {
      const count = 5_000
      // Every tenth is the same as the one before, and every 50th has a score.
      const lines = Array.from({ length: count }, (_, i) => {
        const page = i % 10 === 9 ? i - 1 : i
        const url = `http://h${page % 7}.test/${page}`
        return i % 50 === 0 ? `${url}\tscore=3` : url
      })
      const judged: string[] = []
      const watching = Object.assign((url: string) => {
        judged.push(url)
        return judge(url)
      }, assertion)
      const summary = await inject(
        crawl.db,
        seedSources(['-'], input(lines.join('\n')), () => {}),
        { rules: { ...defaultRules, scoring }, judge: watching, now: 0 },
      )
      expect(summary).toMatchObject({ seeds: count, injected: count - 500, repeated: 500, rejected: {} })
      expect(judged.length === count).toBe(scoring !== defaultRules.scoring || !('acceptsPlain' in assertion))
      const [plain, scored] = await Promise.all(
        ['1', '50'].map((path) => crawl.db.find(`http://h1.test/${path}`)),
      )
      expect([plain?.score, scored?.score]).toEqual([1, 3])
    } finally {
      await crawl.remove()
    }
  })

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
