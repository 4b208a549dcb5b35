import { relative } from 'node:path'
import type { MarkdownOptions } from 'vitepress'
import { siteAddress } from './site-address.ts'
import { ROOT } from './site-pages.ts'

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/** Makes the relative links of a file, which work on a code host, work on the site. */
export function repositoryLinks(md: MarkdownIt): void {
  md.core.ruler.push('repository-links', ({ env, tokens }) => {
    // The search index renders pages without it, and drops their links.
    const { realPath } = env as { realPath?: string }
    if (realPath === undefined) return
    const file = relative(ROOT, realPath)
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null
      if (href !== null) token.attrSet('href', siteAddress(href, file))
    }
  })
}
