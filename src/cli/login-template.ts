import { type NewSpider, quoted, usage } from './template-text.ts'

/** Logs in with a form, and keeps the session in cookies. */
export function loginSpider({ name, url }: NewSpider): string {
  return `import { type SpiderArguments, spider } from 'orbweaver'
import { z } from 'zod'

${usage(name)}
// Name and password come from the environment, so that they are in no file:
//   export SITE_USER=me SITE_PASSWORD=secret
const { SITE_USER = '', SITE_PASSWORD = '' } = process.env

// The form to log in, and its fields.
const FORM = 'form:has(input[type=password])'

export default ({ user = SITE_USER, password = SITE_PASSWORD }: SpiderArguments) =>
  spider({
    name: '${name}',

    // The page with the form.
    start: [${quoted(url)}],

    // The session is a cookie. With --dir, cookies are kept for the next run.
    settings: { http: { cookies: true } },

    // The schema of an item. Items that do not match are rejected with the reason, and the crawl continues.
    item: z.object({ url: z.string(), title: z.string().min(1) }),

    // Remove the limits when the spider works.
    limits: { maxPages: 50, depth: 3 },

    // Sends the form as a browser does, with its hidden fields (CSRF tokens).
    parse(page) {
      const form = page.css(FORM)
      const userField = form.attr('input[type=email], input[type=text], input:not([type])', 'name')
      const passwordField = form.attr('input[type=password]', 'name')
      if (userField === undefined || passwordField === undefined) throw new Error('no form to log in')
      return page.submit(FORM, { [userField]: user, [passwordField]: password }, 'member')
    },

    handlers: {
      // The page after the form, and all that it links to.
      *member(page) {
        if (page.css(FORM).exists) throw new Error('not logged in: check SITE_USER and SITE_PASSWORD')
        yield page.item({ url: page.url, title: page.text('h1') || page.text('title') })

        // Links that would end the session or change something are not followed.
        yield* page.followAll(page.links({ deny: [/log-?out|sign-?out|cancel|delete/i] }), 'member')
      },
    },
  })
`
}
