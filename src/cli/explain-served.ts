import { buildRules } from '../adapters/config/build-rules.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import type { ServedCrawlParts } from '../adapters/serve/served-crawl.ts'
import { wallClock } from '../base/clock.ts'
import type { SegmentStore } from '../domain/segment/segment-store.ts'
import { explainUrl } from '../flows/cycle/explain-url.ts'

/** `explain` for the page. */
export function explainServed(
  settings: Settings,
  segments: Pick<SegmentStore, 'get' | 'linksTo' | 'dropping' | 'pages'>,
): ServedCrawlParts['explain'] {
  // A mistake in the rules is told when the server starts.
  buildRules(settings, { clock: wallClock })
  return async (input, looked) => {
    const seeds = (await looked?.db.seeds()) ?? []
    const rules = buildRules(settings, { clock: wallClock, seeds })
    const { normalize, filter } = rules
    const { db, links } = looked ?? NOT_LOOKED_AT
    const story = await explainUrl({ db, links, segments, normalize, filter, rules, clock: wallClock }, input)
    const { normalized, filter: verdict, ...rest } = story
    return {
      ...rest,
      ...(normalized.ok ? { url: normalized.url } : { problem: normalized.detail }),
      // Without its seeds nobody knows what the scope of the crawl is.
      ...(verdict !== undefined && looked !== undefined && { filter: verdict }),
      seed: normalized.ok && seeds.includes(normalized.url),
    }
  }
}

const NOT_LOOKED_AT = {
  db: {
    find: async () => undefined,
    hostWaits: async () => ({ urls: 0, hosts: 0, nextAt: undefined, first: [] }),
  },
  links: { inlinks: async () => [] },
}
