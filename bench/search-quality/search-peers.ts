import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IndexDocument } from '../../src/domain/indexing/index-document.ts'
import { installPythonEnvironment, pythonOf } from '../../testing/python-environment.ts'
import { copyJars } from '../../testing/run-maven.ts'
import { findJava } from '../../testing/search-servers/find-java.ts'
import { TOOL_CACHE } from '../../testing/tool-cache.ts'
import type { KnownItem } from './known-items.ts'
import type { Ranking } from './quality-figures.ts'

/** Another search engine, which indexes the same documents and gets the same queries. */
export interface SearchPeer {
  readonly name: string
  /** @param path the start of names of files for the engine */
  rankings(documents: readonly IndexDocument[], items: readonly KnownItem[], path: string): Ranking[]
}

/** The engines that are on this machine, or can be installed; a line says which are not. */
export async function searchPeers(): Promise<SearchPeer[]> {
  const found = await Promise.all(
    [tantivy, lucene].map(async (install) => {
      const peer = await install()
      if (!('missing' in peer)) return [peer]
      console.log(`${peer.name} is left out: ${peer.missing}`)
      return []
    }),
  )
  return found.flat()
}

interface MissingPeer {
  readonly name: string
  readonly missing: string
}

const PEERS = join(import.meta.dirname, '../peers')
const TANTIVY = { name: 'tantivy', requirement: 'tantivy>=0.22', oldestPython: 9 }

async function tantivy(): Promise<SearchPeer | MissingPeer> {
  const missing = await installPythonEnvironment(TANTIVY)
  if (missing !== undefined) return { name: 'tantivy', missing }
  return {
    name: 'tantivy',
    rankings(documents, items, path) {
      const lines = documents.map((document) => `${JSON.stringify(document)}\n`)
      const files = writeFiles(path, lines, items)
      return rankingsOf(pythonOf(TANTIVY), [join(PEERS, 'tantivy_search.py'), ...files])
    },
  }
}

const LUCENE = '9.12.3'
const LUCENE_JAVA = 17

async function lucene(): Promise<SearchPeer | MissingPeer> {
  const name = `Lucene ${LUCENE}`
  const java = findJava(LUCENE_JAVA)
  if (java === undefined) return { name, missing: `install a JDK ${LUCENE_JAVA} or newer` }
  const folder = join(TOOL_CACHE, `lucene-${LUCENE}`)
  const missing = existsSync(folder) ? undefined : installLucene(folder)
  if (missing !== undefined) return { name, missing }
  return {
    name,
    rankings(documents, items, path) {
      const files = writeFiles(path, documents.map(luceneLine), items)
      const program = join(PEERS, 'lucene/LuceneSearch.java')
      return rankingsOf(join(java, 'bin/java'), ['-cp', join(folder, '*'), program, ...files])
    },
  }
}

function installLucene(folder: string): string | undefined {
  // Complete under its name: several processes may install at once, and one may be killed meanwhile.
  const aside = `${folder}.${process.pid}`
  mkdirSync(aside, { recursive: true })
  try {
    const parts = ['core', 'analysis-common', 'queryparser']
    const failure = copyJars(
      aside,
      parts.map((part) => `org.apache.lucene:lucene-${part}:${LUCENE}`),
    )
    if (failure === undefined && !existsSync(folder)) renameSync(aside, folder)
    return failure
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

const SEPARATOR = '\u001f'

function luceneLine({ id, title = '', headings = [], anchors, content }: IndexDocument): string {
  const values = [id, title, headings.join(' ; '), anchors.join(' ; '), content]
  return `${values.map((value) => value.replace(/[\r\n\u001f\u0085\u2028\u2029]+/g, ' ')).join(SEPARATOR)}\n`
}

function writeFiles(path: string, lines: readonly string[], items: readonly KnownItem[]): [string, string] {
  const [documents, queries] = [`${path}.documents`, `${path}.queries`]
  writeFileSync(documents, lines.join(''))
  writeFileSync(queries, items.map(({ query }) => `${query}\n`).join(''))
  return [documents, queries]
}

function rankingsOf(program: string, args: readonly string[]): Ranking[] {
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Ranking)
}
