import { printable } from '../../base/printable.ts'
import type { PageSink } from '../../domain/segment/page-sink.ts'
import type { RecordedPage } from '../../domain/segment/segment-store.ts'
import { fingerprint64 } from '../../domain/url/fingerprint.ts'

/**
 * One Markdown file for each page that has text: `host/path-of-the-page-1a2b3c4d.md`. One file a page is what readers, editors and language models
 * take; the end of the name keeps pages apart whose paths differ in what a file name cannot say.
 * @param write is given a path of safe characters, relative, with `/`
 */
export function markdownSink(write: (path: string, text: string) => Promise<void>): PageSink {
  return {
    async write(page) {
      if (page.parseText !== undefined)
        await write(pathOf(page.fetch.url), markdown(page, page.parseText.text))
    },
    close: async () => undefined,
  }
}

function pathOf(url: string): string {
  const { hostname, pathname } = new URL(url)
  const slug = pathname.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
  const host = hostname.replace(/[^A-Za-z0-9.-]/g, '_').replace(/^\.+/, '_')
  const mark = fingerprint64(url).toString(16).padStart(16, '0').slice(0, 8)
  return `${host}/${slug.slice(0, MAX_SLUG) || 'index'}-${mark}.md`
}

/** File systems allow 255 bytes. */
const MAX_SLUG = 120

function markdown({ fetch, parseData }: RecordedPage, text: string): string {
  const title = printable(parseData?.title ?? '', 300)
  // A JSON string is a YAML string.
  const front = {
    url: fetch.url,
    title,
    fetched: new Date(fetch.fetchedAt).toISOString(),
    language: parseData?.language,
    description: parseData?.description,
  }
  const lines = Object.entries(front).flatMap(([key, value]) =>
    value ? [`${key}: ${JSON.stringify(value)}`] : [],
  )
  const heading = title === '' ? '' : `# ${title.replace(/([\\`*_[\]<>#])/g, '\\$1')}\n\n`
  return `---\n${lines.join('\n')}\n---\n\n${heading}${paragraphs(text)}\n`
}

/** Lines of the text become paragraphs; what Markdown or HTML would take for markup is escaped. */
function paragraphs(text: string): string {
  return text
    .split(/\n+/)
    .map((line) =>
      line
        .trim()
        .replace(/[\\`*_[\]<]/g, '\\$&')
        .replace(/^(#{1,6}|[-+>=~])(?=\s|$)/, '\\$1')
        .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2'),
    )
    .filter((line) => line !== '')
    .join('\n\n')
}
