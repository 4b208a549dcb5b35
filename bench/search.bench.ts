/** The embedded index with 100,000 synthetic pages, compared with plain FTS5 (words and texts in one table) and a scan of all texts. */

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { indexFile, nodeSqlite } from '../src/adapters/sqlite-index/index-file.ts'
import { SearchIndex } from '../src/adapters/sqlite-index/search-index.ts'
import { SqliteIndexWriter } from '../src/adapters/sqlite-index/sqlite-index-writer.ts'
import type { IndexDocument } from '../src/domain/indexing/index-document.ts'
import { chosenSize } from './chosen-sizes.ts'

const PAGES = chosenSize('SEARCH_BENCH_PAGES', 100_000)
const WORDS_A_PAGE = 80
const VOCABULARY = 30_000
const COMMIT_EVERY = 5_000

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-'))
  try {
    console.log(`${PAGES} pages of ${WORDS_A_PAGE} words\n`)
    const ours = await writeOurs(folder)
    const bare = writeBare(join(folder, 'bare.sqlite'))
    console.log(`${'index'.padEnd(18)}pages/s  MB on disk`)
    for (const [name, { perSecond, bytes }] of [['ours', ours] as const, ['bare FTS5', bare] as const])
      console.log(
        `${name.padEnd(16)}${perSecond.toFixed(0).padStart(9)}${(bytes / 1e6).toFixed(0).padStart(12)}`,
      )
    console.log(`\n${'query'.padEnd(30)}pages    p50 ms    p95 ms  p95 CPU ms  bare FTS5  all texts (ms)`)
    search(folder, join(folder, 'bare.sqlite'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Kinds of query, each with several of its kind. */
function queriesOf(): ReadonlyArray<readonly [string, readonly string[]]> {
  const words = (from: number, step: number) => Array.from({ length: 20 }, (_, i) => word(from + i * step))
  const pairs = (a: number, b: number) => words(a, 3).map((first, i) => `${first} ${word(b + i * 7)}`)
  return [
    ['a rare word', words(5_000, 37)],
    ['a frequent word', words(20, 5)],
    ['a word that most have', words(0, 0)],
    ['two words', pairs(100, 300)],
    ['a phrase', pairs(10, 11).map((pair) => `"${pair}"`)],
    ['a beginning', words(400, 11).map((text) => `${text.slice(0, 3)}*`)],
    ['a word on one site', words(50, 9).map((text) => `${text} site:host7.test`)],
    ['one without another', pairs(60, 0).map((pair) => pair.replace(' ', ' -'))],
  ]
}

function search(folder: string, bareFile: string): void {
  const index = SearchIndex.open(folder)
  const bare = new (nodeSqlite().DatabaseSync)(bareFile, { readOnly: true })
  const plain = bare.prepare(
    `SELECT url, snippet(pages, 2, '', '', '…', 30) FROM pages WHERE pages MATCH ? ORDER BY bm25(pages, 0, 8, 1) LIMIT 10`,
  )
  const scan = bare.prepare('SELECT url FROM pages WHERE content LIKE ? LIMIT 10000000')
  const all: number[] = []
  for (const [kind, queries] of queriesOf()) {
    let found = 0
    const cpuTimes: number[] = []
    const times = queries.flatMap((query) =>
      [1, 2].map(() => {
        const before = process.threadCpuUsage()
        const ms = timeOf(() => (found = index.search(query).total))
        const { user, system } = process.threadCpuUsage(before)
        cpuTimes.push((user + system) / 1_000)
        return ms
      }),
    )
    all.push(...times)
    const simple = queries.filter((query) => !/site:| -/.test(query))
    const bareTimes = simple.map((query) =>
      timeOf(() => plain.all(query.replace(/^(\w+) (\w+)$/, '"$1" AND "$2"'))),
    )
    const scanned = timeOf(() => scan.all(`%${queries[0]?.replace(/[*"]/g, '')}%`))
    console.log(
      [
        kind.padEnd(26),
        String(found).padStart(8),
        percentile(times, 0.5).padStart(10),
        percentile(times, 0.95).padStart(10),
        percentile(cpuTimes, 0.95).padStart(12),
        (bareTimes.length === 0 ? '–' : percentile(bareTimes, 0.5)).padStart(11),
        scanned.toFixed(0).padStart(10),
      ].join(''),
    )
  }
  console.log(`\nall queries: p50 ${percentile(all, 0.5)} ms, p95 ${percentile(all, 0.95)} ms (aim: 30)`)
  index.close()
  bare.close()
}

async function writeOurs(folder: string): Promise<{ perSecond: number; bytes: number }> {
  const writer = SqliteIndexWriter.open(folder)
  let busyMs = 0
  for (let from = 0; from < PAGES; from += writer.batchSize) {
    const documents = Array.from({ length: Math.min(writer.batchSize, PAGES - from) }, (_, i) =>
      pageOf(from + i),
    )
    const start = performance.now()
    await writer.write(documents.map((document) => ({ kind: 'put', document })))
    if ((from + writer.batchSize) % COMMIT_EVERY === 0) await writer.commit()
    busyMs += performance.now() - start
  }
  await writer.commit()
  await writer.close()
  return { perSecond: (PAGES / busyMs) * 1_000, bytes: statSync(indexFile(folder)).size }
}

function writeBare(file: string): { perSecond: number; bytes: number } {
  const db = new (nodeSqlite().DatabaseSync)(file)
  db.exec('PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE pages USING fts5(url UNINDEXED, title, content)')
  const insert = db.prepare('INSERT INTO pages VALUES (?, ?, ?)')
  let busyMs = 0
  for (let from = 0; from < PAGES; from += COMMIT_EVERY) {
    const documents = Array.from({ length: Math.min(COMMIT_EVERY, PAGES - from) }, (_, i) => pageOf(from + i))
    const start = performance.now()
    db.exec('BEGIN')
    for (const { url, title = '', content } of documents) insert.run(url, title, content)
    db.exec('COMMIT')
    busyMs += performance.now() - start
  }
  db.close()
  return { perSecond: (PAGES / busyMs) * 1_000, bytes: statSync(file).size }
}

/** The same page for the same number, with words as rare as they are in languages. */
function pageOf(i: number): IndexDocument {
  let state = (i + 1) * 2_654_435_761
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return word(Math.floor(VOCABULARY ** (state / 2 ** 32)) - 1)
  }
  const id = `http://host${i % 1_000}.test/${i}`
  return {
    ...{ id, url: id, host: `host${i % 1_000}.test`, domain: `host${i % 1_000}.test` },
    title: `${next()} ${next()} ${next()}`,
    content: Array.from({ length: WORDS_A_PAGE }, next).join(' '),
    ...{ anchors: [next()], boost: 1 + (i % 50), tstamp: i, type: 'text/html', lang: 'en' },
    ...{ segment: '20261116000000', metadata: {} },
  }
}

/** A made-up word for a number, short for frequent ones. */
function word(n: number): string {
  let text = ''
  for (let remainder = n + 20; remainder > 0; remainder = Math.floor(remainder / 100))
    text += `${CONSONANTS[(remainder % 100) % 20] ?? ''}${VOWELS[Math.floor((remainder % 100) / 20)] ?? ''}`
  return text
}

const CONSONANTS = 'bcdfghjklmnpqrstvwxz'
const VOWELS = 'aeiou'

function timeOf(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

function percentile(times: readonly number[], part: number): string {
  const sorted = times.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(2)
}
