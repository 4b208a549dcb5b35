import { statSync } from 'node:fs'
import type { PagePreview, SearchResponse } from '../adapters/serve/responses.ts'
import type { SearchMessage, SearchProcessResponse } from '../adapters/serve/search-processes.ts'
import type { DocumentRequest, SearchRequest } from '../adapters/serve/serve-ports.ts'
import { previewLines } from '../adapters/serve/served-crawl.ts'
import { IndexMissing, IndexUnusable, indexFile } from '../adapters/sqlite-index/index-file.ts'
import { markText } from '../adapters/sqlite-index/make-snippet.ts'
import { SearchIndex } from '../adapters/sqlite-index/search-index.ts'
import { CrawlError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { IndexDocument } from '../domain/indexing/index-document.ts'
import { parseQuery } from '../domain/search/parse-query.ts'
import { wantedPhrases } from '../domain/search/search-query.ts'

/** The child process of `SearchProcesses`: searches the index of one crawl directory, one request at a time, until its parent exits. */

const [directory = ''] = process.argv.slice(2)

process.on('message', ({ name, request }: SearchMessage) => {
  process.send?.(
    responseOf(() =>
      name === 'search' ? search(request as SearchRequest) : document(request as DocumentRequest),
    ),
  )
})
// Ctrl-C and a service manager signal all processes: the server finishes its requests, and then stops this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
process.on('disconnect', () => process.exit())

function responseOf(work: () => unknown): SearchProcessResponse {
  try {
    return { result: work() }
  } catch (error) {
    // Details of unexpected errors go only to the log.
    if (error instanceof CrawlError) return { failure: error.message }
    process.stderr.write(`${String(error)}\n`)
    return { failure: 'The index could not be searched.' }
  }
}

function search({ query, ...options }: SearchRequest): SearchResponse {
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
  const { query: parsed } = parseQuery(query)
  const phrases = parsed === undefined ? [] : wantedPhrases(parsed)
  return {
    ...{ url, title, paragraphs: lines.map((line) => markText(line, phrases)), cut },
    fetchedAt: tstamp,
    ...withoutUndefined({ type, lang }),
  }
}

/** `undefined` if the index is not usable: the segments have the page, too. */
function storedDocument(id: string): IndexDocument | undefined {
  try {
    return openIndex()?.document(id)
  } catch (error) {
    if (error instanceof IndexUnusable) return undefined
    throw error
  }
}

let opened: { readonly index: SearchIndex; readonly inode: number } | undefined

/** Opens the index once, and again after its file was replaced. `undefined` if there is none. */
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
