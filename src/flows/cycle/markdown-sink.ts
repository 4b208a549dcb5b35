import { printable } from '../../base/printable.ts'
import { escapeMarkdown } from '../../domain/extraction/markdown/escape-markdown.ts'
import { BETWEEN_BLOCKS } from '../../domain/extraction/markdown/markdown-of.ts'
import type { PageDescription } from '../../domain/extraction/page-content.ts'
import { storedContent } from '../../domain/extraction/stored-content.ts'
import type { PageSink } from '../../domain/segment/page-sink.ts'
import type { RecordedPage } from '../../domain/segment/segment-store.ts'
import { fingerprint64 } from '../../domain/url/fingerprint.ts'

/**
 * The main content of each page with text as Markdown, with front matter. Its path is `host/path-of-the-page-1a2b3c4d.md`; the hash makes
 * names unique for URLs that differ only in characters that the name leaves out.
 * @param write called with a relative path of safe characters, separated by `/`
 */
export function markdownSink(write: (path: string, text: string) => Promise<void>): PageSink {
  return {
    async write(page) {
      const document = markdownDocument(page)
      if (document === undefined) return
      const body = document.blocks.join(BETWEEN_BLOCKS)
      await write(pathOf(page.fetch.url), `${frontMatter(page, document.description)}\n${body}\n`)
    },
    close: async () => undefined,
  }
}

/** The Markdown of a page in blocks. It starts with a heading: the title, if the content has none of the first level. */
export function markdownDocument(
  page: RecordedPage,
): { readonly blocks: readonly string[]; readonly description: PageDescription } | undefined {
  const content = storedContent(page)
  if (content === undefined) return undefined
  const described = content.describe()
  const description = { ...described, title: printable(described.title, 300) }
  const blocks = content.markdownBlocks()
  const needsTitle = description.title !== '' && !blocks.some((block) => block.startsWith('# '))
  return {
    description,
    blocks: needsTitle
      ? [`# ${escapeMarkdown(description.title, '', '').replace(/(#+)$/, '\\$1')}`, ...blocks]
      : blocks,
  }
}

function pathOf(url: string): string {
  const { hostname, pathname } = new URL(url)
  const slug = pathname.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
  const host = hostname.replace(/[^A-Za-z0-9.-]/g, '_').replace(/^\.+/, '_')
  const hash = fingerprint64(url).toString(16).padStart(16, '0').slice(0, 8)
  return `${host}/${slug.slice(0, MAX_SLUG) || 'index'}-${hash}.md`
}

/** File systems allow 255 bytes. */
const MAX_SLUG = 120

function frontMatter(
  { fetch, parseData }: RecordedPage,
  { title, lang, description, byline, published, modified }: PageDescription,
): string {
  const front = {
    ...{ url: fetch.url, title, canonical: parseData?.canonical, lang: lang ?? parseData?.language },
    ...{ description, author: byline, published, modified },
    fetched: new Date(fetch.fetchedAt).toISOString(),
  }
  // A JSON string is a YAML string.
  const lines = Object.entries(front).flatMap(([key, value]) =>
    value ? [`${key}: ${JSON.stringify(value)}`] : [],
  )
  return `---\n${lines.join('\n')}\n---\n`
}
