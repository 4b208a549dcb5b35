import { describe, expect, it } from 'vitest'
import { fetchedPage } from '../../../testing/segments.ts'
import type { ParseDataRow } from '../../domain/segment/segment-rows.ts'
import type { RecordedPage } from '../../domain/segment/segment-store.ts'
import { chunkSink } from './chunk-sink.ts'
import { markdownSink } from './markdown-sink.ts'

const URL = 'http://a.test/news/1?x=y'
const HTML = `<html lang="en"><head><title>A "title" &lt;script>\nin two lines</title>
  <meta name="author" content="W. Eaver"><meta property="article:published_time" content="2026-11-15"></head>
  <body><nav><a href="/">Home</a></nav><h2>Part # 1</h2><p>First line, with a <a href="../x">link</a>, and more of it.</p>
  <pre><code class="language-sh">ls</code></pre></body></html>`

function page(html: string, data: Partial<ParseDataRow> = {}, type = 'text/html', url = URL): RecordedPage {
  const { fetch, content, parseData } = fetchedPage(url)
  return {
    segment: '20270101000000',
    fetch,
    ...(content && { content: { ...content, body: Buffer.from(html), headers: [['content-type', type]] } }),
    ...(parseData && { parseData: { ...parseData, ...data } }),
    parseText: { url, text: html },
  }
}

async function files(...pages: readonly RecordedPage[]): Promise<[path: string, text: string][]> {
  const written: [string, string][] = []
  const sink = markdownSink(async (path, text) => void written.push([path, text]))
  for (const one of pages) await sink.write(one)
  await sink.close()
  return written
}

describe('markdownSink', () => {
  it('writes the main content with front matter', async () => {
    expect(await files(page(HTML, { canonical: 'http://a.test/news/1' }))).toEqual([
      [
        expect.stringMatching(/^a\.test\/news-1-[0-9a-f]{8}\.md$/),
        `---
url: "http://a.test/news/1?x=y"
title: "A \\"title\\" <script> in two lines"
canonical: "http://a.test/news/1"
lang: "en"
author: "W. Eaver"
published: "2026-11-15T00:00:00.000Z"
fetched: "2027-01-15T08:00:00.000Z"
---

# A "title" \\<script> in two lines

## Part # 1

First line, with a [link](http://a.test/x), and more of it.

\`\`\`sh
ls
\`\`\`
`,
      ],
    ])
  })

  it('escapes the text of a page that is not HTML', async () => {
    const [[, text] = ['', '']] = await files(
      page('# not a heading\n1. not a list <b>', { title: 'T', language: 'de' }, 'text/plain'),
    )
    expect(text).toContain('lang: "de"')
    expect(text).toMatch(/\n\n# T\n\n\\# not a heading\n\n1\\. not a list \\<b>\n$/)
  })

  it('writes an empty page with its front matter, and none without text', async () => {
    expect((await files(page('', { title: '' })))[0]?.[1]).toMatch(/^---\nurl: .*\n---\n\n\n$/s)
    const { parseText: _, ...unparsed } = page('x')
    expect(await files(unparsed)).toEqual([])
  })

  it.each([
    ['http://a.test/', /^a\.test\/index-/],
    ['http://a.test/../../etc/passwd', /^a\.test\/etc-passwd-/],
    [`http://a.test/${'long/'.repeat(500)}`, /^a\.test\/[a-z-]{120}-[0-9a-f]{8}\.md$/],
    ['http://[::1]:8080/x', /^___1_\/x-/],
    ['http://a.test/%2e%2e%2f', /^a\.test\/2e-2e-2f-/],
  ])('gives %s a safe file name', async (url, name) => {
    expect((await files(page('x', {}, 'text/html', url)))[0]?.[0]).toMatch(name)
  })

  it('writes one file each for URLs that differ only in the query', async () => {
    const paths = await files(
      page('x', {}, 'text/html', 'http://a.test/x?1'),
      page('x', {}, 'text/html', 'http://a.test/x?2'),
    )
    expect(new Set(paths.map(([path]) => path)).size).toBe(2)
  })
})

describe('chunkSink', () => {
  const chunks = async (one: RecordedPage, size = 100) => {
    const lines: string[] = []
    const sink = chunkSink(async (text) => void lines.push(text), { size, overlap: 0 })
    await sink.write(one)
    return lines
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  it('writes chunks with offsets into the Markdown of the page', async () => {
    const [[, markdown] = ['', '']] = await files(page(HTML))
    const body = markdown.split('---\n\n')[1] ?? ''
    const found = await chunks(page(HTML))
    expect(found).toHaveLength(2)
    expect(found[1]).toMatchObject({
      url: URL,
      lang: 'en',
      index: 1,
      breadcrumbs: ['A "title" <script> in two lines', 'Part # 1'],
    })
    for (const { start, end, text } of found) expect(body.slice(Number(start), Number(end))).toBe(text)
  })

  it('gives ids that do not depend on other parts of the page', async () => {
    const sections = (first: string) =>
      `<h1>A</h1><p>${first}, and so on until the text is long enough to stand alone here.</p><h1>B</h1><p>same text, twice</p><h1>B</h1><p>same text, twice</p>`
    const [before, after] = await Promise.all([chunks(page(sections('x'))), chunks(page(sections('y')))])
    expect(after.map(({ id }) => id).slice(1)).toEqual(before.map(({ id }) => id).slice(1))
    expect(new Set(before.map(({ id }) => id)).size).toBe(3)
    expect(after[0]?.['id']).not.toBe(before[0]?.['id'])
  })

  it('writes nothing for a page without text', async () => {
    expect(await chunks(page('', { title: '' }))).toEqual([])
  })
})
