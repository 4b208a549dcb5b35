import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DbStatus } from '../crawldb/crawl-status.ts'
import { createOpicScoring } from '../scoring/opic-scoring.ts'
import type { FetchRowStatus, ParseDataRow } from '../segment/segment-rows.ts'
import type { RecordedPage } from '../segment/segment-store.ts'
import type { IndexFilter } from './index-document.ts'
import { cleanText, type DocumentRules, makeDocument, type PageToIndex } from './make-document.ts'

const RULES: DocumentRules = {
  scoring: createOpicScoring(),
  canonical: false,
  maxTitleLength: 100,
  metadata: [],
}
const URL = 'https://www.shop.example.co.uk/bread'

function page(
  data: Partial<ParseDataRow> = {},
  text = 'The text.',
  status: FetchRowStatus = 'fetch_success',
) {
  const page: RecordedPage = {
    segment: '20261116010203',
    fetch: {
      url: URL,
      status,
      protocolStatus: 'SUCCESS',
      fetchedAt: 1_790_000_000_000,
      validators: { lastModified: 'Sun, 15 Nov 2026 18:08:30 GMT' },
    },
    content: {
      url: URL,
      fetchedAt: 1_790_000_000_000,
      httpStatus: 200,
      headers: [['x-author', 'Header']],
      requestHeaders: [],
      address: '127.0.0.1',
      protocol: 'HTTP/1.1',
      body: new Uint8Array(),
    },
    parseText: { url: URL, text },
    parseData: {
      url: URL,
      status: 'parsed',
      title: 'Bread',
      contentType: 'text/html',
      language: 'en',
      noindex: false,
      nofollow: false,
      directives: '{}',
      signature: 'ab12',
      outlinks: [],
      anchors: [],
      metadata: {},
      ...data,
    },
  }
  return page
}

function known(more: Partial<PageToIndex> = {}): PageToIndex {
  return { url: URL, status: 'db_fetched', score: 4, metadata: {}, anchors: [], page: page(), ...more }
}

async function documentOf(given: PageToIndex, rules: Partial<DocumentRules> = {}) {
  const verdict = await makeDocument(given, { ...RULES, ...rules })
  if (verdict.kind !== 'put') throw new Error(`not put: ${JSON.stringify(verdict)}`)
  return verdict.document
}

describe('makeDocument', () => {
  it('makes a document of a page', async () => {
    expect(await documentOf(known({ anchors: ['our bread', 'here', 'our bread', ' '] }))).toEqual({
      id: URL,
      url: URL,
      host: 'www.shop.example.co.uk',
      domain: 'example.co.uk',
      title: 'Bread',
      content: 'The text.',
      anchors: ['our bread', 'here'],
      digest: 'ab12',
      boost: 2,
      tstamp: 1_790_000_000_000,
      lastModified: Date.UTC(2026, 10, 15, 18, 8, 30),
      type: 'text/html',
      lang: 'en',
      segment: '20261116010203',
      metadata: {},
    })
  })

  it('takes headings, summary and publication date from the main content', async () => {
    const mainContent = () => ({
      text: 'Dough.',
      headings: ['Bread', 'Dough\u0000'],
      details: { published: '2026-11-14T10:00:00Z', description: ' About bread. ' },
    })
    expect(await documentOf(known(), { mainContent })).toMatchObject({
      content: 'Dough.',
      headings: ['Bread', 'Dough '],
      published: Date.UTC(2026, 10, 14, 10),
      description: 'About bread.',
    })
  })

  it.each(['http://127.0.0.1:8080/', 'http://[::1]/', 'http://localhost/'])(
    'gives %s no domain',
    async (url) => {
      expect(await documentOf(known({ url }))).not.toHaveProperty('domain')
    },
  )

  it.each<[DbStatus, string]>([
    ['db_gone', 'gone'],
    ['db_duplicate', 'duplicate'],
    ['db_redir_temp', 'redirect'],
    ['db_redir_perm', 'redirect'],
    ['db_orphan', 'orphan'],
    ['db_parse_failed', 'unreadable'],
  ])('deletes a page that is %s', async (status, reason) => {
    expect(await makeDocument(known({ status }), RULES)).toEqual({ kind: 'delete', reason })
  })

  it.each<[FetchRowStatus, string]>([
    ['fetch_gone', 'gone'],
    ['fetch_redir_temp', 'redirect'],
    ['fetch_redir_perm', 'redirect'],
    ['parse_failed', 'unreadable'],
  ])('deletes a page whose newest fetch is %s, merged or not', async (status, reason) => {
    const { status: _, ...unfolded } = known({ page: page({}, '', status) })
    expect(await makeDocument(unfolded, RULES)).toEqual({ kind: 'delete', reason })
  })

  it('deletes what says noindex, and what cannot be read', async () => {
    const noindex = known({ page: page({ noindex: true }) })
    expect(await makeDocument(noindex, RULES)).toEqual({ kind: 'delete', reason: 'noindex' })
    const unreadable = known({ page: page({ status: 'skipped' }) })
    expect(await makeDocument(unreadable, RULES)).toEqual({ kind: 'delete', reason: 'unreadable' })
  })

  it('leaves alone what is not parsed yet, and what only the CrawlDb still has', async () => {
    const { parseData: _, parseText: __, ...unparsed } = page()
    expect(await makeDocument(known({ page: unparsed }), RULES)).toEqual({ kind: 'leave' })
    const { page: ___, ...withoutSegment } = known()
    expect(await makeDocument(withoutSegment, RULES)).toEqual({ kind: 'leave' })
    const { status: ____, ...forgotten } = withoutSegment
    expect(await makeDocument(forgotten, RULES)).toEqual({ kind: 'delete', reason: 'unknown' })
  })

  it('cuts the title and the content between code points', async () => {
    const long = known({ page: page({ title: '\u{1f578}'.repeat(101) }, '\u{1f578}'.repeat(20)) })
    expect((await documentOf(long)).title).toBe('\u{1f578}'.repeat(100))
    const cut = await documentOf(long, { maxTitleLength: 1, maxContentLength: 2 })
    expect([cut.title, cut.content]).toEqual(['\u{1f578}', '\u{1f578}\u{1f578}'])
  })

  it('leaves out an empty title, and cleans texts', async () => {
    expect(await documentOf(known({ page: page({ title: ' \u0000 ' }) }))).not.toHaveProperty('title')
    const dirty = known({ page: page({ title: 'a\uffffb' }, 'x\ud800y\u0000z'), anchors: ['a\ud800', 'a'] })
    expect(await documentOf(dirty)).toMatchObject({ title: 'ab', content: 'xy z', anchors: ['a'] })
  })

  it('shows the canonical URL when that is wanted', async () => {
    const twin = known({ page: page({ canonical: 'https://shop.example/' }) })
    expect((await documentOf(twin)).url).toBe(URL)
    expect(await documentOf(twin, { canonical: true })).toMatchObject({
      id: URL,
      url: 'https://shop.example/',
    })
    expect((await documentOf(known(), { canonical: true })).url).toBe(URL)
  })

  it('copies the metadata that is requested: of parse filters, the header, the record', async () => {
    const given = known({
      page: page({ metadata: { price: '3' }, description: 'What it is' }),
      metadata: { price: '4', group: 'a\uffff', 'x-author': 'Record' },
    })
    const names = ['price', 'description', 'group', 'X-Author', 'constructor']
    expect((await documentOf(given, { metadata: names })).metadata).toEqual({
      price: '3',
      description: 'What it is',
      group: 'a',
      'X-Author': 'Header',
    })
  })

  it('lets a filter change a document or leave it out', async () => {
    const filter: IndexFilter = (document, { segment }) =>
      document.title === 'Bread'
        ? { ...document, id: 'other', title: 'B\uffff', metadata: { segment, list: ['a\u0000'] } }
        : undefined
    expect(await documentOf(known(), { filter })).toMatchObject({
      id: URL,
      title: 'B',
      metadata: { segment: '20261116010203', list: ['a '] },
    })
    expect(await makeDocument(known({ page: page({ title: 'Cake' }) }), { ...RULES, filter })).toEqual({
      kind: 'delete',
      reason: 'filter',
    })
  })

  it('refuses what a filter must not return', async () => {
    const returning = (change: unknown) => {
      const filter = ((made: object) =>
        typeof change === 'object' ? { ...made, ...change } : change) as unknown as IndexFilter
      return makeDocument(known(), { ...RULES, filter })
    }
    await expect(returning('yes')).rejects.toThrow(/index\.filter/)
    await expect(returning({ host: undefined })).rejects.toThrow(/index\.filter .* host/)
    await expect(returning({ title: 5 })).rejects.toThrow(/title/)
    await expect(returning({ boost: Number.NaN })).rejects.toThrow(/boost/)
    await expect(returning({ anchors: 'x' })).rejects.toThrow(/anchors/)
    await expect(returning({ metadata: { at: new Date() } })).rejects.toThrow(/metadata/)
    await expect(returning({ title: undefined, metadata: { tags: ['a', 'b'] } })).resolves.toMatchObject({
      kind: 'put',
    })
  })
})

it.each([
  ['plain, ünïcode, 中文 and \u{1f578}', 'plain, ünïcode, 中文 and \u{1f578}'],
  ['a\tb\nc\r\nd', 'a\tb\nc\r\nd'],
  ['one\ftwo\u0000three\u0085four', 'one two three four'],
  ['lone \ud800 and \udc00 halves', 'lone  and  halves'],
  ['\ufffe\uffff\ufdd0\u{1ffff}x\u{10fffe}', 'x'],
])('makes %j clean', (text, clean) => {
  expect(cleanText(text)).toBe(clean)
})

it('leaves text that is well formed, and the same when it is cleaned again', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '\ud800', '\uffff', '\u0000'),
      (text, bad) => {
        const clean = cleanText(text + bad + text)
        expect(clean.isWellFormed()).toBe(true)
        expect(cleanText(clean)).toBe(clean)
      },
    ),
    { numRuns: 50 },
  )
})
