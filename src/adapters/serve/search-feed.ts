import type { FoundPage, FoundPages, MarkedPart } from './responses.ts'

/**
 * The results of a search as RSS 2.0 with the elements of OpenSearch 1.1, for feed readers and other programs.
 * @param address the URL of the request
 */
export function searchFeed(query: string, address: string, { hits, total, offset }: FoundPages): string {
  const items = hits.map(item).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
${element('title', `Search: ${query}`)}${element('link', address.replace('/api/search.rss', '/'))}${element('description', `Pages that match ${query}`)}${element('opensearch:totalResults', String(total))}${element('opensearch:startIndex', String(offset + 1))}${element('opensearch:itemsPerPage', String(hits.length))}${items}</channel>
</rss>
`
}

function item({ id, url, titleParts, snippet, date, lang }: FoundPage): string {
  const published = date === undefined ? '' : element('pubDate', new Date(date).toUTCString())
  const language = lang === undefined ? '' : element('dc:language', lang)
  const title = textOf(titleParts) || url
  return `<item>
${element('title', title)}${element('link', url)}<guid isPermaLink="false">${escaped(id)}</guid>
${element('description', textOf(snippet))}${published}${language}</item>
`
}

function textOf(parts: readonly MarkedPart[]): string {
  return parts.map(({ text }) => text).join('')
}

function element(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>\n`
}

/** Text of pages; characters that XML does not allow are removed. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(NOT_IN_XML, '')
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
