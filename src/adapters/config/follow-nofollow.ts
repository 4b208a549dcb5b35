import type { ParseFilter } from '../../domain/parse/parse-filter.ts'

/** Takes `nofollow` off the links of a page, so that they are followed like others. */
export const followNofollow: ParseFilter = {
  name: 'links.followNofollow',
  filter: ({ reading: { links } }) => ({
    links: links.map((link) => ({ ...link, rel: link.rel.filter((token) => token !== 'nofollow') })),
  }),
}
