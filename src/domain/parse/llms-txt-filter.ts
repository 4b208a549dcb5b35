import type { PageLink } from '../content/page-reading.ts'
import type { ParseFilter } from './parse-rules.ts'

/** Origins that are remembered; for more, the link may be added again, which has no effect. */
const MAX_ORIGINS = 50_000

/**
 * Adds `/llms.txt` of its origin to the links of a page: once per origin and thread, to a page whose links are followed. It is then a URL like
 * any other: the filters, robots.txt and the queue of its host apply, it is fetched once, and its links are followed.
 */
export function createLlmsTxtFilter(): ParseFilter {
  const known = new Set<string>()
  return {
    name: 'links.llmsTxt',
    filter({ url, reading: { links, followable } }) {
      const { origin } = new URL(url)
      if (!followable || known.has(origin)) return undefined
      if (known.size >= MAX_ORIGINS) known.clear()
      known.add(origin)
      const link: PageLink = { url: `${origin}/llms.txt`, anchor: '', rel: [], kind: 'text' }
      return links.some((one) => one.url === link.url) ? undefined : { links: [link, ...links] }
    },
  }
}
