import { DEFAULT_MAX_LINKS, type FormatReader, NO_FINDINGS } from './format-reader.ts'
import { parseSitemap } from './parse-sitemap.ts'

/** A sitemap met as a page. Its entries are in `sitemap`, and they are its links. */
export const readSitemapPage: FormatReader = (
  { url, bytes, headerCharset, truncated },
  { normalize, scan = {} },
) => {
  const { maxLinks = DEFAULT_MAX_LINKS } = scan
  const sitemap = parseSitemap(bytes, { url, normalize, headerCharset, truncated, maxEntries: maxLinks })
  const urls = new Set([...sitemap.sitemaps, ...sitemap.pages].map((entry) => entry.url))
  const links = [...urls].map((link) => ({ url: link, anchor: '', rel: [], kind: 'sitemap' as const }))
  return {
    ok: true,
    metas: [],
    truncated: sitemap.truncated !== undefined,
    findings: { ...NO_FINDINGS, links, rejectedLinks: sitemap.rejected, sitemap },
  }
}
