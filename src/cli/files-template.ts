import { type NewSpider, quoted, usage } from './template-text.ts'

/** Pages with images, which are downloaded. */
export function filesSpider({ name, url }: NewSpider): string {
  return `import { spider } from 'orbweaver'
import { z } from 'zod'

${usage(name, ` --files ${name}-files`)}
export default spider({
  name: '${name}',

  // Start URLs. Only their hosts are crawled; files may be on any host.
  start: [${quoted(url)}],

  // The schema of an item, without its files. Items that do not match are rejected with the reason.
  item: z.object({ url: z.string(), title: z.string().min(1) }),

  // Which files are stored; others fail, and the item says why. Without \`types\`, all are.
  files: { types: ['image/*', 'application/pdf'], maxBytes: 50_000_000 },

  // Remove the limits when the spider works.
  limits: { maxPages: 50, depth: 3 },

  *parse(page) {
    yield page.item({ url: page.url, title: page.text('title') })

    // One file: the item gets a field \`icon\` with its path, hash, size and type.
    yield page.download(page.attr('link[rel~=icon]', 'href'), { as: 'icon' })

    // Many files: the fields \`images\` and \`documents\` are lists.
    yield* page.downloadAll('img[src]', { as: 'images' })
    yield* page.downloadAll('a[href$=".pdf"]', { as: 'documents' })

    yield* page.followAll('a:not([href$=".pdf"])')
  },
})
`
}
