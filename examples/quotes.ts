import { type SpiderArguments, spider } from 'orbweaver'
import { z } from 'zod'

/** All quotes of a site, page by page. */
export default ({ site = 'https://quotes.example/' }: SpiderArguments) =>
  spider({
    name: 'quotes',
    start: [site],
    item: z.object({
      text: z.string().min(1),
      author: z.string().min(1),
      tags: z.array(z.string()),
    }),

    *parse(page) {
      for (const quote of page.css('.quote')) {
        yield page.item({
          text: quote.text('.text'),
          author: quote.text('.author'),
          tags: quote.css('.tag').texts(),
        })
      }
      yield* page.followAll('.next a')
    },
  })
