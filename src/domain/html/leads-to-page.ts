import type { HtmlLink } from './html-scan.ts'

const PAGE_RELATIONS = new Set(
  `alternate amphtml appendix author bookmark canonical chapter contents copyright first glossary help home index last
  license next prev previous section start subsection toc up`.split(/\s+/),
)

/** Whether a link is one that a reader could follow. A `<link>` is, unless it names a style sheet, an icon or the like. */
export function leadsToPage({ kind, rel }: HtmlLink): boolean {
  if (kind !== 'link') return true
  return rel.some((relation) => PAGE_RELATIONS.has(relation)) && !rel.includes('stylesheet')
}
