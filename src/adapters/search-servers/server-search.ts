import { z } from 'zod'
import { printable } from '../../base/printable.ts'
import { IndexUnavailable } from '../../domain/indexing/index-writer.ts'
import { parseQuery, withoutFilters } from '../../domain/search/parse-query.ts'
import type { SearchQuery, SearchSort, UnfilteredResult } from '../../domain/search/search-query.ts'
import type { ServerHit, ServerResult } from '../../domain/search/search-result.ts'
import { elasticQuery } from './elastic-query.ts'
import type { IndexServer, ServerRequest } from './index-server.ts'
import type { ServerTarget } from './index-target.ts'
import { MARK_END, MARK_START, markedParts } from './marked-text.ts'
import { pageOf, type ServerSearchOptions, withOptions } from './server-query.ts'
import { solrQuery } from './solr-query.ts'

const FACETS = ['host', 'type', 'lang'] as const
const FACET_VALUES = 20
const SNIPPET_CHARACTERS = 200
const STORED = ['id', 'url', 'host', 'title', 'type', 'lang', 'tstamp', 'date', 'cluster']

/** Searches an index of Solr, Elasticsearch or OpenSearch that has our fields. */
export class ServerSearch {
  readonly #server: IndexServer
  readonly #target: ServerTarget

  /** @param server closed with the search */
  constructor(server: IndexServer, target: ServerTarget) {
    this.#server = server
    this.#target = target
  }

  /**
   * What is found for a query as users type it; see `parseQuery`.
   * @throws IndexUnavailable if the server does not respond, ConfigurationError if it is not what the target says
   */
  async search(text: string, options: ServerSearchOptions = {}): Promise<ServerResult> {
    const { query: parsed, sort } = parseQuery(text)
    const query = withOptions(parsed, options)
    if (query === undefined) return NOTHING
    const result = await this.#find(query, options.sort ?? sort, options)
    const unfiltered = result.total === 0 ? await this.#unfiltered(text, options) : undefined
    return unfiltered === undefined ? result : { ...result, unfiltered }
  }

  async #unfiltered(text: string, options: ServerSearchOptions): Promise<UnfilteredResult | undefined> {
    const query = withoutFilters(text)
    const isFiltered = query !== text.trim() || withOptions(undefined, options) !== undefined
    const { query: parsed } = parseQuery(query)
    if (parsed === undefined || !isFiltered) return undefined
    const { total } = await this.#find(parsed, undefined, { limit: 0 })
    return total === 0 ? undefined : { query, total, exact: true }
  }

  #find(
    query: SearchQuery,
    sort: SearchSort | undefined,
    options: ServerSearchOptions,
  ): Promise<ServerResult> {
    return this.#target.kind === 'solr'
      ? this.#searchSolr(query, sort, options)
      : this.#searchElastic(query, sort, options)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async #searchSolr(
    query: SearchQuery,
    sort: SearchSort | undefined,
    options: ServerSearchOptions,
  ): Promise<ServerResult> {
    const { from, size } = pageOf(options)
    const parameters = new URLSearchParams({
      // Pages that many others link to come first among equals.
      ...{ q: '{!boost b="log(sum(def(boost,1),9))" v=$words}', words: solrQuery(query) },
      ...{ start: String(from), rows: String(size), fl: [...STORED, 'score'].join(), wt: 'json' },
      ...(sort === 'date' && { sort: 'date desc, score desc' }),
      ...{ facet: 'true', 'facet.mincount': '1', 'facet.limit': String(FACET_VALUES) },
      ...{ hl: 'true', 'hl.fl': 'title,content', 'hl.method': 'unified', 'hl.snippets': '1' },
      ...{ 'hl.fragsize': String(SNIPPET_CHARACTERS), 'hl.defaultSummary': 'true' },
      ...{ 'f.title.hl.fragsize': '0', 'hl.tag.pre': MARK_START, 'hl.tag.post': MARK_END },
    })
    for (const field of FACETS) parameters.append('facet.field', field)
    const { response, highlighting, facet_counts } = await this.#request(SOLR_RESULT, {
      method: 'POST',
      path: `${this.#target.path}/select`,
      body: parameters.toString(),
      contentType: 'application/x-www-form-urlencoded',
    })
    return {
      hits: withSimilar(
        response.docs.map(({ score, ...document }) => ({
          cluster: document.cluster,
          hit: hitOf(document, score, highlighting[document.id]),
        })),
      ),
      ...{ total: response.numFound, exact: true, relaxed: false },
      facets: facetsOf((field) => pairs(facet_counts.facet_fields[field] ?? [])),
    }
  }

  async #searchElastic(
    query: SearchQuery,
    sort: SearchSort | undefined,
    options: ServerSearchOptions,
  ): Promise<ServerResult> {
    const maxOffset = this.#target.kind === 'opensearch' ? 'max_analyzer_offset' : 'max_analyzed_offset'
    const body = {
      ...pageOf(options),
      track_total_hits: true,
      _source: STORED,
      query: {
        function_score: {
          query: elasticQuery(query),
          // Pages that many others link to come first among equals.
          field_value_factor: { field: 'boost', modifier: 'ln2p', missing: 1 },
        },
      },
      ...(sort === 'date' && { sort: [{ date: 'desc' }, '_score'], track_scores: true }),
      highlight: {
        ...{ pre_tags: [MARK_START], post_tags: [MARK_END], [maxOffset]: 999_999 },
        fields: {
          title: { number_of_fragments: 0 },
          content: {
            ...{ fragment_size: SNIPPET_CHARACTERS, number_of_fragments: 1 },
            no_match_size: SNIPPET_CHARACTERS,
          },
        },
      },
      aggs: Object.fromEntries(FACETS.map((field) => [field, { terms: { field, size: FACET_VALUES } }])),
    }
    const { hits, aggregations } = await this.#request(ELASTIC_RESULT, {
      method: 'POST',
      path: `${this.#target.path}/_search`,
      body: JSON.stringify(body),
    })
    return {
      hits: withSimilar(
        hits.hits.map(({ _source, _score, highlight }) => ({
          cluster: _source.cluster,
          hit: hitOf(_source, _score ?? 0, highlight),
        })),
      ),
      ...{ total: hits.total.value, exact: true, relaxed: false },
      facets: facetsOf((field) =>
        (aggregations[field]?.buckets ?? []).map(({ key, doc_count }) => ({ value: key, count: doc_count })),
      ),
    }
  }

  /** Sent once: a user who searches does not wait for a server to come back. */
  async #request<Type>(schema: z.ZodType<Type>, request: ServerRequest): Promise<Type> {
    const attempt = await this.#server.attempt(request)
    if (attempt.kind === 'busy') throw new IndexUnavailable(`${this.#server.name}: ${attempt.reason}`)
    const { status, text } = attempt.value
    // The web server of Solr has no page for other methods than GET under the name of a core that it lacks.
    if (status === 404 || status === 405)
      throw this.#server.misuse('there is no such core, collection or index')
    const field = /undefined field:? "?(\w+)|No mapping found for \[(\w+)\]/.exec(text)
    if (status === 400 && field !== null)
      throw this.#server.misuse(
        `it has no field ${field[1] ?? field[2]}: create the index with the schema of the package (docs/index-targets.md), then index with --all`,
      )
    if (status !== 200) throw this.#server.misuse(`it returned ${status}, ${printable(text)}`)
    try {
      return schema.parse(JSON.parse(text))
    } catch {
      throw this.#server.misuse(`this is not the response of a search server: ${printable(text)}`)
    }
  }
}

const NOTHING: ServerResult = {
  hits: [],
  ...{ total: 0, exact: true, relaxed: false },
  facets: { host: [], type: [], lang: [] },
}

const DOCUMENT = z.object({
  ...{ id: z.string(), url: z.string(), host: z.string(), tstamp: z.string() },
  ...{ title: z.string().optional(), type: z.string().optional(), lang: z.string().optional() },
  ...{ date: z.string().optional(), cluster: z.string().optional() },
})
const HIGHLIGHTS = z.record(z.string(), z.array(z.string()))

const SOLR_RESULT = z.object({
  response: z.object({ numFound: z.number(), docs: z.array(DOCUMENT.extend({ score: z.number() })) }),
  highlighting: z.record(z.string(), HIGHLIGHTS),
  facet_counts: z.object({
    facet_fields: z.record(z.string(), z.array(z.union([z.string(), z.number()]))),
  }),
})

const ELASTIC_RESULT = z.object({
  hits: z.object({
    total: z.object({ value: z.number() }),
    hits: z.array(
      z.object({ _source: DOCUMENT, _score: z.number().nullable(), highlight: HIGHLIGHTS.optional() }),
    ),
  }),
  aggregations: z.record(
    z.string(),
    z.object({ buckets: z.array(z.object({ key: z.string(), doc_count: z.number() })) }),
  ),
})

function hitOf(
  { title = '', tstamp, type, lang, date, cluster: _cluster, ...same }: z.infer<typeof DOCUMENT>,
  score: number,
  highlights: z.infer<typeof HIGHLIGHTS> | undefined,
): ServerHit {
  return {
    ...same,
    ...{ title, tstamp: Date.parse(tstamp), score },
    titleParts: markedParts(highlights?.['title']?.[0] ?? title),
    snippet: markedParts(highlights?.['content']?.[0] ?? ''),
    ...(type !== undefined && { type }),
    ...(lang !== undefined && { lang }),
    // Without another date, it is the time of the fetch.
    ...(date !== undefined && date !== tstamp && { date: Date.parse(date) }),
  }
}

/** Lists near-duplicates under the first of them. Those on other pages of the result are not known here. */
function withSimilar(found: ReadonlyArray<{ cluster: string | undefined; hit: ServerHit }>): ServerHit[] {
  const groups = new Map<string, ServerHit[]>()
  for (const { cluster, hit } of found) {
    const key = cluster === undefined ? `id ${hit.id}` : `cluster ${cluster}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [hit])
    else group.push(hit)
  }
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const similar = others.map(({ url, title }) => ({ url, title }))
    return similar.length === 0 ? [first] : [{ ...first, similar }]
  })
}

function facetsOf(
  read: (field: (typeof FACETS)[number]) => ServerResult['facets']['host'],
): ServerResult['facets'] {
  return { host: read('host'), type: read('type'), lang: read('lang') }
}

/** Solr lists values and counts in turns. */
function pairs(list: ReadonlyArray<string | number>): Array<{ value: string; count: number }> {
  return list.flatMap((value, i) =>
    i % 2 === 0 ? [{ value: String(value), count: Number(list[i + 1]) }] : [],
  )
}
