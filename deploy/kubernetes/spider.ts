import { spider } from 'orbweaver'
import { z } from 'zod'

/** All quotes of a site. Start URLs come from "orbweaver push", so that the spider has none. */
export default spider({
  name: 'quotes',
  start: [],
  item: z.object({ text: z.string().min(1), author: z.string().min(1) }),

  *parse(page) {
    for (const quote of page.css('.quote'))
      yield page.item({ text: quote.text('.text'), author: quote.text('.author') })
    yield* page.followAll('.next a')
  },
})
