import { createLinkResolver } from '../url/link-resolver.ts'
import { decodeText } from './decode-text.ts'
import { DEFAULT_MAX_LINKS, DEFAULT_MAX_TEXT_CHARS, type FormatReader, NO_FINDINGS } from './format-reader.ts'
import { resolveLinks } from './page-links.ts'
import { plainTextLinks } from './plain-text-links.ts'

/** Plain text: it is its own text, and the URLs that stand in it are links. */
export const readText: FormatReader = ({ url, bytes, headerCharset }, { normalize, scan = {} }) => {
  const { maxLinks = DEFAULT_MAX_LINKS, maxTextChars = DEFAULT_MAX_TEXT_CHARS } = scan
  const { text, charset, charsetSource } = decodeText(bytes, { syntax: 'text', headerCharset })
  const hrefs = plainTextLinks(text)
  const overLimit = Math.max(0, hrefs.length - maxLinks)
  const found = hrefs.slice(0, maxLinks).map((href) => ({ href, anchor: '', rel: [], kind: 'text' as const }))
  return {
    ok: true,
    metas: [],
    truncated: text.length > maxTextChars || overLimit > 0,
    findings: {
      ...NO_FINDINGS,
      charset,
      charsetSource,
      text: text.slice(0, maxTextChars),
      ...resolveLinks(found, url, createLinkResolver(url, normalize), overLimit),
    },
  }
}
