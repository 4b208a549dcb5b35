import { withoutUndefined } from '../../base/without-undefined.ts'
import type { HtmlLink, MetaTag } from '../html/html-scan.ts'
import { scanHtml } from '../html/scan-html.ts'
import { hostOf } from '../url/host-of.ts'
import { createLinkResolver } from '../url/link-resolver.ts'
import { decodeText } from './decode-text.ts'
import { type FormatReader, primaryLanguage } from './format-reader.ts'
import { resolveLinks } from './page-links.ts'

/** HTML and XHTML. */
export const readHtml: FormatReader = ({ url, bytes, headerCharset }, { normalize, scan: scanOptions }) => {
  const { text: html, charset, charsetSource } = decodeText(bytes, { syntax: 'html', headerCharset })
  const scan = scanHtml(html, scanOptions)
  const base = scan.base === undefined ? undefined : normalize(scan.base, url)
  const resolve = createLinkResolver(base?.ok ? base.url : url, normalize)
  const urlOf = (href: string): string | undefined => {
    const resolved = resolve(href)
    return resolved.ok ? resolved.url : undefined
  }

  const description = contentOf(scan.metas, 'description')
  const language = primaryLanguage(scan.lang, contentOf(scan.metas, 'dc.language'), scan.contentLanguage)
  const refreshUrl = scan.refresh?.url === undefined ? url : urlOf(scan.refresh.url)
  const canonical = scan.canonical === undefined ? undefined : urlOf(scan.canonical)
  return {
    ok: true,
    metas: scan.metas,
    truncated: scan.textTruncated || scan.linksDropped > 0,
    findings: {
      charset,
      charsetSource,
      title: scan.title,
      text: scan.text,
      ...(description && { description }),
      ...withoutUndefined({ language }),
      ...resolveLinks(scan.links.filter(leadsToPage), url, resolve, scan.linksDropped),
      ...(scan.refresh &&
        refreshUrl !== undefined && { refresh: { seconds: scan.refresh.seconds, url: refreshUrl } }),
      ...(canonical !== undefined && {
        canonical: { url: canonical, crossHost: hostOf(canonical) !== hostOf(url) },
      }),
      alternates: scan.alternates.flatMap(({ hreflang, href }) => {
        const alternate = urlOf(href)
        return alternate === undefined ? [] : [{ language: hreflang, url: alternate }]
      }),
      feeds: scan.feeds.flatMap(({ href, title, format }) => {
        const feed = urlOf(href)
        return feed === undefined ? [] : [{ url: feed, title, format }]
      }),
    },
  }
}

function contentOf(metas: readonly MetaTag[], name: string): string | undefined {
  return metas
    .find((meta) => meta.name === name)
    ?.content.replace(/\s+/g, ' ')
    .trim()
}

const PAGE_RELATIONS = new Set(
  `alternate amphtml appendix author bookmark canonical chapter contents copyright first glossary help home index last
  license next prev previous section start subsection toc up`.split(/\s+/),
)

/** Whether a link is one that a reader could follow. A `<link>` is, unless it names a style sheet, an icon or the like. */
export function leadsToPage({ kind, rel }: HtmlLink): boolean {
  if (kind !== 'link') return true
  return rel.some((relation) => PAGE_RELATIONS.has(relation)) && !rel.includes('stylesheet')
}
