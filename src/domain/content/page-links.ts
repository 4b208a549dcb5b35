import type { LinkResolver } from '../url/link-resolver.ts'
import type { PageLink } from './page-reading.ts'
import { OVER_LIMIT } from './parse-sitemap.ts'

/** A link as the page has it. */
export type FoundLink = Omit<PageLink, 'url'> & { readonly href: string }

export interface ResolvedLinks {
  readonly links: readonly PageLink[]
  readonly rejectedLinks: Readonly<Record<string, number>>
}

/**
 * Resolves links and keeps each URL once, where it stood first; a link to the page itself is left out, as `self`. Of several links to one URL the first with an anchor
 * gives it, and `rel` keeps only what all of them say: a link is nofollow when no other to the same page is not.
 * @param overLimit links that the reader dropped before this
 */
export function resolveLinks(
  found: Iterable<FoundLink>,
  pageUrl: string,
  resolve: LinkResolver,
  overLimit = 0,
): ResolvedLinks {
  const byUrl = new Map<string, PageLink>()
  const rejectedLinks: Record<string, number> = overLimit === 0 ? {} : { [OVER_LIMIT]: overLimit }
  for (const { href, anchor, rel, kind, listed } of found) {
    const resolved = resolve(href)
    if (!resolved.ok || resolved.url === pageUrl) {
      const reason = resolved.ok ? 'self' : resolved.reason
      rejectedLinks[reason] = (rejectedLinks[reason] ?? 0) + 1
      continue
    }
    const { url } = resolved
    const known = byUrl.get(url)
    if (known === undefined)
      byUrl.set(url, { url, anchor, rel, kind, ...(listed !== undefined && { listed }) })
    else if (known.rel.length > 0 || known.anchor === '') {
      // A set: a hostile page has links with ten thousands of tokens.
      const said = new Set(rel)
      const common = known.rel.filter((token) => said.has(token))
      byUrl.set(url, { ...known, anchor: known.anchor || anchor, rel: common })
    }
  }
  return { links: [...byUrl.values()], rejectedLinks }
}
