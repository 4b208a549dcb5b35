import { withoutUndefined } from '../../base/without-undefined.ts'
import { parseWebDate } from './web-date.ts'
import { type XmlHandler, XmlTokenizer, xmlAttribute } from './xml-tokenizer.ts'

export interface FeedItem {
  /** As written: possibly relative. */
  readonly href: string
  readonly title?: string
  /** When it was published or, failing that, last changed (ms since the epoch). */
  readonly publishedAt?: number
}

/** What RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom and JSON Feed have in common. */
export interface ParsedFeed {
  readonly title?: string
  readonly description?: string
  readonly language?: string
  /** The page the feed belongs to, as written. */
  readonly home?: string
  readonly items: readonly FeedItem[]
  /** Items over `maxItems`. */
  readonly itemsDropped: number
}

export interface FeedOptions {
  /** Further items are counted, not kept. @default 200000 */
  readonly maxItems?: number
}

/** `undefined` if the document is not a feed. A truncated document gives its complete items. */
export function parseFeed(xml: string, options: FeedOptions = {}): ParsedFeed | undefined {
  const reader = new FeedReader(options)
  const tokenizer = new XmlTokenizer(reader)
  tokenizer.push(xml)
  tokenizer.end()
  return reader.feed()
}

type Field = 'title' | 'description' | 'language' | 'link' | 'guid' | 'published' | 'updated'

const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['title', 'title'],
  ['description', 'description'],
  ['subtitle', 'description'],
  ['language', 'language'],
  ['link', 'link'],
  ['guid', 'guid'],
  ['pubdate', 'published'],
  ['published', 'published'],
  ['dc:date', 'published'],
  ['updated', 'updated'],
])

const ROOTS = new Set(['rss', 'feed', 'rdf'])

/** Collects a feed from XML events. It looks only at names, in any case, and at the depth below the item, so it needs no stack. */
export class FeedReader implements XmlHandler {
  readonly #maxItems: number
  readonly #items: FeedItem[] = []
  #itemsDropped = 0
  #isFeed: boolean | undefined
  /** The prefix of the root: `atom:` in `<atom:feed>`. RDF's items have none. */
  #prefix = ''
  #channel = new Map<Field, string>()
  #item: Map<Field, string> | undefined
  /** Open elements below the item, or below the channel. */
  #depth = 0
  #field: Field | undefined
  #text = ''

  constructor({ maxItems = 200_000 }: FeedOptions = {}) {
    this.#maxItems = maxItems
  }

  open(writtenName: string, attributes: string): void {
    const name = writtenName.toLowerCase()
    if (this.#isFeed === undefined) {
      const colon = name.indexOf(':')
      this.#isFeed = ROOTS.has(name.slice(colon + 1))
      this.#prefix = name.endsWith(':feed') ? name.slice(0, colon + 1) : ''
      const language = xmlAttribute(attributes, 'xml:lang')
      if (language !== undefined) this.#channel.set('language', language)
      return
    }
    const own = this.#withoutPrefix(name)
    if (own === 'item' || own === 'entry') {
      this.#commit()
      this.#item = new Map()
      this.#depth = 0
      // RSS 1.0 has the link in the item's own attribute too.
      this.#set('guid', xmlAttribute(attributes, 'rdf:about'))
      return
    }
    if (own === 'channel') return
    this.#depth++
    if (this.#depth !== 1) return
    this.#field = FIELDS.get(own)
    this.#text = ''
    if (this.#field === 'link') this.#openLink(attributes)
    else if (this.#field === 'guid' && xmlAttribute(attributes, 'ispermalink')?.toLowerCase() === 'false')
      this.#field = undefined
  }

  text(text: string): void {
    if (this.#field !== undefined) this.#text += text
  }

  close(name: string): void {
    const own = this.#withoutPrefix(name.toLowerCase())
    if (own === 'item' || own === 'entry') {
      this.#commit()
      this.#depth = 0
      return
    }
    if (own === 'channel') return
    if (this.#depth === 1 && this.#field !== undefined) {
      this.#set(this.#field, this.#text)
      this.#field = undefined
    }
    this.#depth = Math.max(0, this.#depth - 1)
  }

  feed(): ParsedFeed | undefined {
    if (!this.#isFeed) return undefined
    this.#commit()
    const home = this.#channel.get('link')
    const title = this.#channel.get('title')
    const description = this.#channel.get('description')
    const language = this.#channel.get('language')
    return {
      ...withoutUndefined({ title, description, language, home }),
      items: this.#items,
      itemsDropped: this.#itemsDropped,
    }
  }

  #withoutPrefix(name: string): string {
    return name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name
  }

  /** Atom's link is in an attribute, and only the one without `rel` or with `alternate` is the page itself. */
  #openLink(attributes: string): void {
    const href = xmlAttribute(attributes, 'href')
    if (href === undefined) return
    const rel = xmlAttribute(attributes, 'rel')?.toLowerCase() ?? 'alternate'
    if (rel === 'alternate') this.#set('link', href)
    this.#field = undefined
  }

  /** The first value counts. */
  #set(field: Field, value: string | undefined): void {
    const fields = this.#item ?? this.#channel
    const text = value?.replace(/\s+/g, ' ').trim() ?? ''
    if (text !== '' && !fields.has(field)) fields.set(field, text)
  }

  #commit(): void {
    const item = this.#item
    this.#item = undefined
    this.#field = undefined
    const href = item?.get('link') ?? permalink(item?.get('guid'))
    if (item === undefined || href === undefined) return
    if (this.#items.length >= this.#maxItems) {
      this.#itemsDropped++
      return
    }
    const title = item.get('title')
    const publishedAt = parseWebDate(item.get('published') ?? item.get('updated') ?? '')
    this.#items.push({
      href,
      ...withoutUndefined({ title, publishedAt }),
    })
  }
}

/** A guid may be anything; only one that is a URL is a link. */
function permalink(guid: string | undefined): string | undefined {
  return guid !== undefined && /^https?:\/\//i.test(guid) ? guid : undefined
}
