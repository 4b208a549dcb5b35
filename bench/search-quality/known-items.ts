import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IndexDocument } from '../../src/domain/indexing/index-document.ts'
import { type IndexEntry, readPrintedIndex } from './printed-index.ts'
import type { QualitySite } from './quality-sites.ts'

/** A query, and the pages that it looks for: one of them is enough. */
export interface KnownItem {
  readonly query: string
  readonly ids: ReadonlySet<string>
}

/** The URLs that the printed index of a site names. */
export function printedUrls(site: QualitySite, seed: string): Set<string> {
  return new Set(entriesOf(site, seed).map(({ url }) => url))
}

/**
 * The terms of the printed index, of pages that were indexed. A term with terms below it names the pages of those, too: “flush” that of
 * “flush, django-admin command”.
 */
export function printedItems(
  site: QualitySite,
  seed: string,
  documents: readonly IndexDocument[],
): KnownItem[] {
  const indexed = new Set(documents.map(({ id }) => id))
  const items = new Map<string, Set<string>>()
  const entries = entriesOf(site, seed).filter(({ url }) => indexed.has(url))
  for (const { term, url } of entries) add(items, term, url)
  for (const { above, url } of entries) if (above !== undefined) items.get(plainQuery(above))?.add(url)
  return itemsOf(items)
}

/** Titles that one page alone has. The heading of a page is its title without the name of the site. */
export function titleItems(documents: readonly IndexDocument[]): KnownItem[] {
  const items = new Map<string, Set<string>>()
  for (const { id, headings = [], title = '' } of documents) add(items, headings[0] ?? title, id)
  return itemsOf(items).filter(({ ids }) => ids.size === 1)
}

interface PrintedEntry extends Omit<IndexEntry, 'href'> {
  readonly url: string
}

function entriesOf(site: QualitySite, seed: string): PrintedEntry[] {
  return site.printedIndex.flatMap((path) => {
    const html = readFileSync(join(site.root, path), 'utf8')
    const base = new URL(path, seed)
    return readPrintedIndex(html, site.format).map(({ href, ...entry }) => ({
      ...entry,
      url: new URL(href, base).href,
    }))
  })
}

function add(items: Map<string, Set<string>>, text: string, url: string): void {
  const query = plainQuery(text)
  if (query.length < 2) return
  const ids = items.get(query) ?? new Set()
  items.set(query, ids.add(url))
}

/** As users type it: without the signs that have a meaning in queries. */
function plainQuery(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}_.]+/gu, ' ')
    .replace(/^[ .]+|[ .]+$/g, '')
    .toLowerCase()
}

function itemsOf(items: ReadonlyMap<string, ReadonlySet<string>>): KnownItem[] {
  return Array.from(items, ([query, ids]) => ({ query, ids }))
}
