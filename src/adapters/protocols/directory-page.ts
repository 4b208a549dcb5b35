import type { ProtocolResponse } from '../../domain/fetch/protocol.ts'

export interface DirectoryEntry {
  readonly name: string
  readonly isDirectory: boolean
}

/** Names over this number are left out of a listing: a page has at most 100,000 links by default. */
export const MAX_ENTRIES = 100_000

/** The body and headers of a page that links to the entries of a directory. It is not for an index: it has no content of its own. */
export function directoryPage(
  path: string,
  entries: readonly DirectoryEntry[],
): Required<Pick<ProtocolResponse, 'headers' | 'body'>> {
  const links = entries
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ name, isDirectory }) => {
      const shown = isDirectory ? `${name}/` : name
      return `<li><a href="./${encodeURIComponent(name)}${isDirectory ? '/' : ''}">${escapeHtml(shown)}</a></li>`
    })
  const title = escapeHtml(`Index of ${path}`)
  const html = `<!DOCTYPE html>\n<title>${title}</title>\n<h1>${title}</h1>\n<ul>\n${links.join('\n')}\n</ul>\n`
  return {
    headers: [
      ['content-type', 'text/html; charset=utf-8'],
      ['x-robots-tag', 'noindex'],
    ],
    body: Buffer.from(html),
  }
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
