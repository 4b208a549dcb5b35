import { existsSync } from 'node:fs'
import { Command, Option } from 'commander'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import type { SearchIndex, SearchOptions, SearchResult } from '../adapters/sqlite-index/search-index.ts'
import { steadyClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatCount, formatJson, printableLine } from '../base/format-values.ts'
import { withoutFilters } from '../domain/search/parse-query.ts'
import { SEARCH_SORTS, type UnfilteredResult } from '../domain/search/search-query.ts'
import type { ServerResult } from '../domain/search/search-result.ts'
import { searchWords } from '../domain/search/search-words.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { positiveNumber, wholeNumber } from './option-values.ts'
import { resultText } from './search-report.ts'

interface SearchFlags extends SearchOptions {
  readonly json: boolean
  readonly limit: number
  readonly offset: number
  readonly target?: string
}

const HELP = `
A page must contain all words, or other forms of them: weavers matches weaver, "weavers" does not. Case and accents are ignored. A query that starts with - follows after --. The index can be searched while it
is updated. Create it with orbweaver index or crawl --index.

Query syntax:
  "a phrase"  prefix*  -excluded  one OR other  (grouping)
  intitle:word  inurl:word  site:example.org  filetype:pdf  lang:en
  after:2026-01  before:2026-06-15  sort:date

Examples:
  orbweaver search crawl orb weaver
  orbweaver search crawl '"orb web" -funnel' --site example.org
  orbweaver search crawl 'spid* type:pdf' --limit 20 --json
  orbweaver search crawl --lang en -- -funnel
  orbweaver search --target solr:http://localhost:8983/solr/pages orb weaver`

export function searchCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('search')
    .argument('<dir>', 'Crawl directory; with --target, the first word of the query')
    .argument('[query...]', 'Search query')
    .option('--target <index>', 'Search a server instead: solr:URL, elastic:URL or opensearch:URL')
    .option('--site <host>', 'Only pages of this host and its subdomains')
    .option('--type <type>', 'Only pages of this media type: text/html, html, pdf')
    .option('--lang <language>', 'Only pages in this language: en')
    .addOption(
      new Option('--sort <order>', 'Order of the results (default: relevance)').choices(SEARCH_SORTS),
    )
    .option('--limit <n>', 'Maximum number of results, up to 100', positiveNumber, 10)
    .option('--offset <n>', 'Number of results to skip', wholeNumber, 0)
  return addJsonOption(command)
    .addHelpText(
      'after',
      helpNotes(
        { 0: 'pages were found', 1: 'no page matches', 2: 'usage error, or there is no index yet' },
        HELP,
      ),
    )
    .action(async (dir: string, words: string[], { json, target, ...options }: SearchFlags) => {
      if (target !== undefined) {
        const query = [dir, ...words].join(' ')
        const result = await searchServer(target, query, options)
        if (json) terminal.out(formatJson({ query, ...result }))
        else if (result.total === 0)
          terminal.out(
            `nothing found for ${printableLine(query)}${result.unfiltered === undefined ? '' : `; ${unfilteredHint(result.unfiltered)}`}\n`,
          )
        else terminal.out(resultText(result, options.offset, terminal.columns !== undefined))
        if (result.total === 0) exitWith(EXIT.nothing)
        return
      }
      if (words.join('').trim() === '')
        throw new ConfigurationError('OPTION_INVALID', 'what to search for? orbweaver search <dir> <query…>')
      const query = words.join(' ')
      const index = await openIndex(dir)
      try {
        const result = index.search(query, options)
        if (json) terminal.out(formatJson({ query, ...result }))
        else if (result.total === 0)
          terminal.out(nothingFound(dir, query, index.count(), result, hasFilter(options)))
        else terminal.out(resultText(result, options.offset, terminal.columns !== undefined))
        if (result.total === 0) exitWith(EXIT.nothing)
      } finally {
        index.close()
      }
    })
}

/** @throws IndexUnavailable, ConfigurationError */
async function searchServer(
  target: string,
  query: string,
  options: Omit<SearchFlags, 'json' | 'target'>,
): Promise<ServerResult> {
  const { openServerSearch } = await import('../adapters/search-servers/open-index-writer.ts')
  const server = await openServerSearch(target, { clock: steadyClock, environment: process.env })
  try {
    return await server.search(query, options)
  } finally {
    await server.close()
  }
}

/** @throws IndexMissing, CrawlDirectoryMissing */
async function openIndex(dir: string): Promise<SearchIndex> {
  const { IndexMissing } = await import('../adapters/sqlite-index/index-file.ts')
  const { SearchIndex } = await import('../adapters/sqlite-index/search-index.ts')
  try {
    return SearchIndex.open(dir)
  } catch (error) {
    if (!(error instanceof IndexMissing)) throw error
    if (!existsSync(dir))
      throw new CrawlDirectoryMissing(`there is no crawl in ${dir}: create one with orbweaver crawl`)
    throw new IndexMissing(`${error.message}: make it with orbweaver index ${dir}`)
  }
}

function hasFilter({ site, type, lang }: SearchOptions): boolean {
  return (site ?? type ?? lang) !== undefined
}

function nothingFound(
  dir: string,
  query: string,
  pages: number,
  { suggestion, unfiltered }: SearchResult,
  isFiltered: boolean,
): string {
  const hint =
    pages === 0
      ? `the index is empty: orbweaver index ${dir}`
      : suggestion !== undefined
        ? `did you mean ${printableLine(suggestion)}?`
        : unfiltered !== undefined
          ? unfilteredHint(unfiltered)
          : wordHint(query, isFiltered)
  return `nothing found for ${printableLine(query)} in ${formatCount(pages, 'page')}; ${hint}\n`
}

function unfilteredHint({ query, total, exact }: UnfilteredResult): string {
  const pages = exact ? formatCount(total, 'page') : `more than ${formatCount(total, 'page')}`
  return `${pages} without the filters: ${printableLine(query)}`
}

function wordHint(query: string, isFiltered: boolean): string {
  const words = withoutFilters(query)
  const [word] = searchWords(words)
  if (word === undefined)
    return isFiltered || words !== query.trim()
      ? 'try without the filters'
      : 'the query has no letters or digits to search for'
  return `try fewer words, or the beginning of one (${Array.from(word).slice(0, 5).join('')}*)`
}
