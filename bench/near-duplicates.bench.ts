/**
 * The index for near-duplicates: time, memory and recall with ten million hashes (NEAR_HASHES), and precision and recall of the SimHash on the
 * pages of real sites, compared with the exact overlap of their phrases.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { groupNearHashes } from '../src/adapters/duckdb/novelty/near-hashes.ts'
import { Session } from '../src/adapters/duckdb/session.ts'
import { decodeText } from '../src/domain/content/decode-text.ts'
import { readPage } from '../src/domain/content/read-page.ts'
import { fingerprintText, hammingDistance } from '../src/domain/content/sim-hash.ts'
import { ContentReader } from '../src/domain/extraction/page-content.ts'
import { buildTree } from '../src/domain/selectors/document.ts'
import { normalizeUrl } from '../src/domain/url/normalize-url.ts'

const HASHES = Number(process.env['NEAR_HASHES'] ?? 10_000_000)
const PLANTED = 2_000
/** Jaccard index of the phrases of near-duplicates. */
const NEAR = 0.9
const OVERLAPS = [0.9, 0.95, 0.98]
const MAX_PAGES = 3_000
const ROOTS: Readonly<Record<string, string>> = {
  'apache2-doc (languages)': '/usr/share/doc/apache2-doc/manual',
  'debian-handbook (languages)': '/usr/share/doc/debian-handbook/html',
  'openjdk-17-doc (Javadoc)': '/usr/share/doc/openjdk-17-jre-headless/api/java.base',
  'postfix-doc': '/usr/share/doc/postfix/html',
  'bind9-doc': '/usr/share/doc/bind9-doc',
  'nodejs-doc (single page and chapters)': '/usr/share/doc/nodejs/api',
}

export async function run(): Promise<void> {
  await measureIndex()
  const overlaps = OVERLAPS.flatMap((least) => [`pairs ≥ ${least}`, 'found'])
  const columns = [
    'site',
    'pages',
    ...overlaps,
    'main content ≥ 0.9, too',
    'found',
    'reported',
    '≥ 0.9',
    'below 0.5',
  ]
  console.log(`\n| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}`)
  for (const [name, root] of Object.entries(ROOTS))
    if (existsSync(root)) measureSite(name, root)
    else console.log(`| ${name}: not installed |`)
}

async function measureIndex(): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '4GB' })
  const session = new Session(await instance.connect())
  {
    // For each planted hash, one that differs in one to three bits.
    await session.run(`
      CREATE TEMP TABLE random_hashes AS SELECT range AS id, md5_number_upper(range::VARCHAR) AS sim_hash FROM range(${HASHES});
      CREATE TEMP TABLE near_hashes AS
      SELECT id::INTEGER AS id, sim_hash, 0::UBIGINT AS scope FROM random_hashes
      UNION ALL
      SELECT (${HASHES} + id)::INTEGER, xor(xor(xor(sim_hash, 1::UBIGINT << (id * 7 % 64)::INTEGER),
        CASE WHEN id % 3 > 0 THEN 1::UBIGINT << ((id * 11 + 20) % 64)::INTEGER ELSE 0 END),
        CASE WHEN id % 3 > 1 THEN 1::UBIGINT << ((id * 13 + 41) % 64)::INTEGER ELSE 0 END), 0::UBIGINT
      FROM random_hashes WHERE id < ${PLANTED}`)
    const cpu = process.cpuUsage()
    const start = performance.now()
    await groupNearHashes(session)
    const seconds = (performance.now() - start) / 1_000
    const { user, system } = process.cpuUsage(cpu)
    const { found } = await session.one<{ found: number }>(`
      SELECT count(*)::DOUBLE AS found FROM near_leaders WHERE id >= ${HASHES} AND leader = id - ${HASHES}`)
    const peak = process.resourceUsage().maxRSS / 1_024
    console.log(
      `${HASHES} random hashes and ${PLANTED} near ones: ${found} of ${PLANTED} found, ${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} CPU-s, peak ${peak.toFixed(0)} MB`,
    )
  }
  session.close()
  instance.closeSync()
}

interface ReadText {
  readonly simHash: string
  readonly phrases: ReadonlySet<string>
  /** Of the main content, without navigation and other boilerplate. */
  readonly contentPhrases: ReadonlySet<string>
}

/** Pairs of pages that are alike by some measure, and those of them that the SimHash reports. */
class Pairs {
  #all = 0
  #found = 0

  add(isReported: boolean): void {
    this.#all++
    if (isReported) this.#found++
  }

  toString(): string {
    return `${this.#all} | ${this.#all === 0 ? '-' : `${((100 * this.#found) / this.#all).toFixed(0)} %`}`
  }
}

function measureSite(name: string, root: string): void {
  const pages = readTexts(root)
  const byOverlap = OVERLAPS.map((least) => ({ least, pairs: new Pairs() }))
  const ofContent = new Pairs()
  let reported = 0
  let right = 0
  let farOff = 0
  for (const [i, a] of pages.entries())
    for (let j = i + 1; j < pages.length; j++) {
      const b = pages[j]
      if (b === undefined) continue
      const isReported = hammingDistance(a.simHash, b.simHash) <= 3
      const overlap = overlapOf(a.phrases, b.phrases, isReported)
      for (const { least, pairs } of byOverlap) if (overlap >= least) pairs.add(isReported)
      if (overlap >= NEAR && overlapOf(a.contentPhrases, b.contentPhrases, false) >= NEAR)
        ofContent.add(isReported)
      if (isReported) reported++
      if (isReported && overlap >= NEAR) right++
      if (isReported && overlap < 0.5) farOff++
    }
  const precision = reported === 0 ? '-' : `${((100 * right) / reported).toFixed(0)} %`
  const figures = [...byOverlap.map(({ pairs }) => pairs), ofContent, reported, precision, farOff]
  console.log(`| ${[name, pages.length, ...figures].join(' | ')} |`)
}

/** Whole overlap if it is wanted `exactly`; otherwise 0 for pairs that share less than nine tenths. */
function overlapOf(a: ReadonlySet<string>, b: ReadonlySet<string>, exactly: boolean): number {
  // Sets whose sizes differ by more than a tenth cannot share nine tenths.
  const [small, large] = [a.size, b.size].sort((x, y) => x - y) as [number, number]
  if (!exactly && small < NEAR * large) return 0
  return jaccard(a, b, exactly ? 0 : NEAR)
}

function readTexts(root: string): ReadText[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.x?html(\.[\w-]+)*$/.test(file))
    .sort()
  const step = Math.max(1, Math.floor(files.length / MAX_PAGES))
  return files
    .filter((_, i) => i % step === 0)
    .flatMap((file) => {
      const bytes = readFileSync(join(root, file))
      const { text } = readPage(
        { url: 'http://a.test/', headers: [['content-type', 'text/html']], bytes },
        { agent: 'bench', normalize: normalizeUrl, signatures: [] },
      )
      const simHash = fingerprintText(text)?.simHash
      if (simHash === undefined) return []
      const html = decodeText(bytes, { syntax: 'html' }).text
      const content = new ContentReader(buildTree(html, 'html'), 'http://a.test/').text()
      return [{ simHash, phrases: phrasesOf(text), contentPhrases: phrasesOf(content) }]
    })
}

function phrasesOf(text: string): Set<string> {
  const words =
    text.toLowerCase().match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]|[\p{L}\p{Nd}]+/gu) ?? []
  return new Set(words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`))
}

/** Stops early, with 0, when it cannot reach `least`. */
function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>, least: number): number {
  let shared = 0
  let missed = 0
  const mayMiss = a.size * (1 - least)
  for (const phrase of a) {
    if (b.has(phrase)) shared++
    else if (++missed > mayMiss) return 0
  }
  const all = a.size + b.size - shared
  return all === 0 ? 1 : shared / all
}
