import { statSync } from 'node:fs'
import type { PagePreview, SearchAnswer } from '../adapters/serve/answers.ts'
import { previewLines } from '../adapters/serve/preview-lines.ts'
import type { SearchMessage, SearchReply } from '../adapters/serve/search-processes.ts'
import type { DocumentRequest, SearchRequest } from '../adapters/serve/search-view.ts'
import { IndexMissing, IndexUnusable, indexFile } from '../adapters/sqlite-index/index-file.ts'
import { markText } from '../adapters/sqlite-index/make-snippet.ts'
import { wantedPhrases } from '../adapters/sqlite-index/match-expression.ts'
import { parseQuery } from '../adapters/sqlite-index/query-parser.ts'
import { SearchIndex } from '../adapters/sqlite-index/search-index.ts'
import { CrawlError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { IndexDocument } from '../domain/indexing/index-document.ts'

/** A process of `SearchProcesses`: it searches the index of one crawl directory, one request at a time, as long as its parent lives. */

const [directory = ''] = process.argv.slice(2)

process.on('message', ({ name, request }: SearchMessage) => {
  process.send?.(
    replyTo(() =>
      name === 'search' ? search(request as SearchRequest) : document(request as DocumentRequest),
    ),
  )
})
// Ctrl-C is for the server, which then ends this process.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit())

function replyTo(work: () => unknown): SearchReply {
  try {
    return { result: work() }
  } catch (error) {
    // Errors of ours are written for people; of others the details are for the log.
    if (error instanceof CrawlError) return { failure: error.message }
    process.stderr.write(`${String(error)}\n`)
    return { failure: 'The index could not be searched.' }
  }
}

function search({ query, ...options }: SearchRequest): SearchAnswer {
  const start = performance.now()
  const index = openIndex()
  if (index === undefined) return { kind: 'no-index', directory }
  const { hits, ...result } = index.search(query, options)
  return {
    kind: 'found',
    offset: options.offset,
    ...result,
    hits: hits.map(({ score: _score, title: _title, ...hit }) => hit),
    tookMs: performance.now() - start,
  }
}

function document({ id, query }: DocumentRequest): PagePreview | undefined {
  const found = storedDocument(id)
  if (found === undefined) return undefined
  const { url, title = '', content, tstamp, type, lang } = found
  const { lines, cut } = previewLines(content)
  const asked = parseQuery(query)
  const phrases = asked === undefined ? [] : wantedPhrases(asked)
  return {
    ...{ url, title, paragraphs: lines.map((line) => markText(line, phrases)), cut },
    fetchedAt: tstamp,
    ...withoutUndefined({ type, lang }),
  }
}

/** Nothing of an index that cannot be used: the segments have the page, too. */
function storedDocument(id: string): IndexDocument | undefined {
  try {
    return openIndex()?.document(id)
  } catch (error) {
    if (error instanceof IndexUnusable) return undefined
    throw error
  }
}

let opened: { readonly index: SearchIndex; readonly inode: number } | undefined

/** The index is opened once, and again when another stands in its place. `undefined`: there is none. */
function openIndex(): SearchIndex | undefined {
  const inode = statSync(indexFile(directory), { throwIfNoEntry: false })?.ino
  if (inode !== undefined && opened?.inode === inode) return opened.index
  opened?.index.close()
  opened = undefined
  if (inode === undefined) return undefined
  try {
    opened = { index: SearchIndex.open(directory), inode }
    return opened.index
  } catch (error) {
    if (error instanceof IndexMissing) return undefined
    throw error
  }
}
