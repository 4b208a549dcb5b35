import { type SpiderArguments, spider } from 'orbweaver'
import { z } from 'zod'

/** The orders of an account: logs in with a form, including its hidden fields, and keeps cookies. */
export default ({ site = 'https://members.example/', user = '', password = '' }: SpiderArguments) =>
  spider({
    name: 'login',
    start: [new URL('login', site).href],
    settings: { http: { cookies: true } },
    item: z.object({
      number: z.string().min(1),
      placed: z.iso.date(),
      total: z.number().positive(),
    }),

    parse(page) {
      return page.submit('form.login', { user, password }, 'orders')
    },

    handlers: {
      *orders(page) {
        if (page.css('form.login').exists) throw new Error(`not logged in: ${page.text('.error')}`)
        yield* page.followAll('.orders a', 'order')
        yield* page.followAll('.next a', 'orders')
      },

      order(page) {
        return page.item({
          number: page.text('h1'),
          placed: page.attr('time', 'datetime'),
          total: page.number('.total'),
        })
      },
    },
  })
