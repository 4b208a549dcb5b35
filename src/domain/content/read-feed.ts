import { withoutUndefined } from '../../base/without-undefined.ts'
import { createLinkResolver } from '../url/link-resolver.ts'
import { decodeText } from './decode-text.ts'
import {
  DEFAULT_MAX_LINKS,
  DEFAULT_MAX_TEXT_CHARS,
  type FormatInput,
  type FormatReader,
  type FormatReading,
  NO_FINDINGS,
  unread,
} from './format-reader.ts'
import { primaryLanguage } from './language.ts'
import { type FoundLink, resolveLinks } from './page-links.ts'
import type { ReadOptions } from './page-reading.ts'
import { type FeedOptions, type ParsedFeed, parseFeed } from './parse-feed.ts'
import { parseJsonFeed } from './parse-json-feed.ts'

/** RSS, RDF and Atom. Its text is its titles. */
export const readFeed: FormatReader = (input, options) =>
  read(input, options, 'xml', parseFeed) ??
  unread('failed', 'not-a-feed', `no feed in ${input.bytes.length} bytes of XML`)

/** JSON is read when it is a JSON Feed. */
export const readJson: FormatReader = (input, options) =>
  read(input, options, 'text', parseJsonFeed) ??
  unread('skipped', 'unsupported-type', 'JSON that is not a feed')

function read(
  { url, bytes, headerCharset }: FormatInput,
  { normalize, scan = {} }: ReadOptions,
  syntax: 'xml' | 'text',
  parse: (text: string, options: FeedOptions) => ParsedFeed | undefined,
): FormatReading | undefined {
  const { maxLinks = DEFAULT_MAX_LINKS, maxTextChars = DEFAULT_MAX_TEXT_CHARS } = scan
  const { text: source, charset, charsetSource } = decodeText(bytes, { syntax, headerCharset })
  const feed = parse(source, { maxItems: maxLinks })
  if (feed === undefined) return undefined
  const { title = '', description, items } = feed
  const text = [title, description, ...items.map((item) => item.title)].filter(Boolean).join('\n')
  const language = primaryLanguage(feed.language)
  return {
    ok: true,
    metas: [],
    truncated: feed.itemsDropped > 0 || text.length > maxTextChars,
    findings: {
      ...NO_FINDINGS,
      charset,
      charsetSource,
      title,
      text: text.slice(0, maxTextChars),
      ...withoutUndefined({ description, language }),
      ...resolveLinks(linksOf(feed), url, createLinkResolver(url, normalize), feed.itemsDropped),
    },
  }
}

function* linksOf({ home, title = '', items }: ParsedFeed): Generator<FoundLink> {
  if (home !== undefined) yield { href: home, anchor: title, rel: [], kind: 'feed' }
  for (const item of items) yield { href: item.href, anchor: item.title ?? '', rel: [], kind: 'feed' }
}
