import { type NewSpider, quoted, usage } from './template-text.ts'

/** A site whose pages are made by scripts. */
export function javascriptSpider({ name, url }: NewSpider): string {
  return `import { spider } from 'orbweaver'
import { z } from 'zod'

// Needs a Chromium or Chrome, and: npm install playwright-core
${usage(name)}
export default spider({
  name: '${name}',
  start: [${quoted(url)}],

  // \`auto\` renders only pages that look like JavaScript apps. By handler: render: { parse: 'always', detail: 'never' }
  render: 'always',

  // The schema of an item. Items that do not match are rejected with the reason, and the crawl continues.
  item: z.object({ url: z.string(), title: z.string().min(1) }),

  // Remove the limit when the spider works. Requests of scripts wait for the delay of their host, too.
  limits: { maxPages: 50, handlerSeconds: 60 },

  async *parse(page) {
    // A list that grows at its end. \`page.update\` reads the page again after scripts have changed it.
    await page.browser.scrollToEnd()
    await page.update()
    yield page.item({ url: page.url, title: page.text('h1') || page.text('title') })
    yield* page.followAll('a')
  },
})
`
}
