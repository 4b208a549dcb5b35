import { withoutUndefined } from '../../base/without-undefined.ts'
import { parseWebDate } from './web-date.ts'
import { type XmlHandler, XmlTokenizer, xmlAttribute } from './xml-tokenizer.ts'

export interface FeedItem {
  /** As written: possibly relative. Absent only with `details`. */
  readonly href?: string
  readonly title?: string
  /** When it was published (ms since the epoch). */
  readonly publishedAt?: number
  /** When it was last changed (ms since the epoch). */
  readonly updatedAt?: number
  /** With `details`. */
  readonly details?: FeedItemDetails
}

/** What a crawl that follows links does not need. */
export interface FeedItemDetails {
  /** The guid or id, as written. */
  readonly id?: string
  readonly author?: string
  readonly categories: readonly string[]
  /** Text or HTML, as the feed has it. */
  readonly summary?: string
  /** Text or HTML, as the feed has it; of XHTML its text. */
  readonly content?: string
  /** Files, such as the episode of a podcast. */
  readonly enclosures: ReadonlyArray<{ readonly href: string; readonly type?: string }>
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
  /** Also reads the details of items, and items without a link. @default false */
  readonly details?: boolean
}

/** `undefined` if the document is not a feed. A truncated document gives its complete items. */
export function parseFeed(xml: string, options: FeedOptions = {}): ParsedFeed | undefined {
  const reader = new FeedReader(options)
  const tokenizer = new XmlTokenizer(
    reader,
    options.details === true ? { maxTokenChars: MAX_CONTENT_CHARS } : {},
  )
  tokenizer.push(xml)
  tokenizer.end()
  return reader.feed()
}

/** Of the content of an item; the rest is cut off. */
const MAX_CONTENT_CHARS = 1_000_000

type Field =
  | ('title' | 'description' | 'language' | 'link' | 'guid' | 'published' | 'updated')
  | ('id' | 'author' | 'category' | 'content')

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

const DETAILS: ReadonlyMap<string, Field> = new Map([
  ...FIELDS,
  ['id', 'id'],
  ['author', 'author'],
  ['dc:creator', 'author'],
  ['category', 'category'],
  ['dc:subject', 'category'],
  ['summary', 'description'],
  ['content', 'content'],
  ['content:encoded', 'content'],
])

const ROOTS = new Set(['rss', 'feed', 'rdf'])

/** Collects a feed from XML events. It looks only at names, in any case, and at the depth below the item, so it needs no stack. */
export class FeedReader implements XmlHandler {
  readonly #maxItems: number
  readonly #hasDetails: boolean
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
  /** In the author of Atom, at another element than the name. */
  #isOtherDetail = false
  #text = ''
  #categories: string[] = []
  #enclosures: Array<{ href: string; type?: string }> = []

  constructor({ maxItems = 200_000, details = false }: FeedOptions = {}) {
    this.#maxItems = maxItems
    this.#hasDetails = details
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
    if (this.#depth === 2 && this.#field === 'author') this.#isOtherDetail = own !== 'name'
    if (this.#depth !== 1) return
    this.#field = (this.#hasDetails ? DETAILS : FIELDS).get(own)
    this.#text = ''
    if (this.#field === 'link') this.#openLink(attributes)
    else if (this.#field === 'category') this.#addCategory(xmlAttribute(attributes, 'term'))
    else if (this.#field === 'guid' && xmlAttribute(attributes, 'ispermalink')?.toLowerCase() === 'false')
      this.#field = this.#hasDetails ? 'id' : undefined
    else if (own === 'enclosure') this.#addEnclosure(xmlAttribute(attributes, 'url'), attributes)
  }

  text(text: string): void {
    if (this.#field !== undefined && !this.#isOtherDetail) this.#text += text
  }

  close(name: string): void {
    const own = this.#withoutPrefix(name.toLowerCase())
    if (own === 'item' || own === 'entry') {
      this.#commit()
      this.#depth = 0
      return
    }
    if (own === 'channel') return
    if (this.#depth === 2) this.#isOtherDetail = false
    if (this.#depth === 1 && this.#field !== undefined) {
      if (this.#field === 'category') this.#addCategory(this.#text)
      else this.#set(this.#field, this.#text)
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
    if (rel === 'enclosure') this.#addEnclosure(href, attributes)
    this.#field = undefined
  }

  #addCategory(category: string | undefined): void {
    const text = category?.trim() ?? ''
    if (text !== '' && this.#item !== undefined) this.#categories.push(text)
  }

  #addEnclosure(href: string | undefined, attributes: string): void {
    if (!this.#hasDetails || href === undefined || this.#item === undefined) return
    this.#enclosures.push({ href, ...withoutUndefined({ type: xmlAttribute(attributes, 'type') }) })
  }

  /** The first value counts. */
  #set(field: Field, value: string | undefined): void {
    const fields = this.#item ?? this.#channel
    const text = (field === 'content' ? value : value?.replace(/\s+/g, ' '))?.trim() ?? ''
    if (text !== '' && !fields.has(field)) fields.set(field, text)
  }

  #commit(): void {
    const item = this.#item
    const [categories, enclosures] = [this.#categories, this.#enclosures]
    this.#item = undefined
    this.#field = undefined
    this.#categories = []
    this.#enclosures = []
    const guid = item?.get('guid')
    const href = item?.get('link') ?? permalink(guid)
    if (item === undefined || (href === undefined && !this.#hasDetails)) return
    if (this.#items.length >= this.#maxItems) {
      this.#itemsDropped++
      return
    }
    const title = item.get('title')
    const publishedAt = parseWebDate(item.get('published') ?? '')
    const updatedAt = parseWebDate(item.get('updated') ?? '')
    const id = item.get('id') ?? guid
    const [author, summary, content] = [item.get('author'), item.get('description'), item.get('content')]
    this.#items.push({
      ...withoutUndefined({ href, title, publishedAt, updatedAt }),
      ...(this.#hasDetails && {
        details: { categories, enclosures, ...withoutUndefined({ id, author, summary, content }) },
      }),
    })
  }
}

/** When the page of an item last changed, as far as the feed tells. */
export function changedAt({ publishedAt, updatedAt }: FeedItem): number | undefined {
  return publishedAt === undefined || updatedAt === undefined
    ? (updatedAt ?? publishedAt)
    : Math.max(publishedAt, updatedAt)
}

/** A guid may be anything; only one that is a URL is a link. */
function permalink(guid: string | undefined): string | undefined {
  return guid !== undefined && /^https?:\/\//i.test(guid) ? guid : undefined
}
