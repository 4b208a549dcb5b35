import { type SpiderArguments, spider } from 'orbweaver'
import { z } from 'zod'

/** Recipes listed in a sitemap that changed since a date: --arg since=2026-01-31 */
export default ({ site = 'https://recipes.example/', since = '1970-01-01' }: SpiderArguments) =>
  spider({
    name: 'recipe-sitemap',
    sitemap: {
      // robots.txt lists the sitemaps, and a sitemap index lists others.
      urls: [new URL('/robots.txt', site).href],
      rules: [{ match: /\/recipes\/[^/]+$/, handler: 'recipe' }],
      changedSince: new Date(since),
    },
    item: z.object({
      name: z.string().min(1),
      minutes: z.int().positive(),
      ingredients: z.array(z.string()).nonempty(),
    }),

    handlers: {
      recipe(page) {
        return page.item({
          name: page.text('h1'),
          minutes: page.number('.minutes'),
          ingredients: page.css('.ingredients li').texts(),
        })
      },
    },
  })
