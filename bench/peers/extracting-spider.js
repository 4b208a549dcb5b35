/** A spider for `orbweaver run` whose handler takes most of the CPU time: main content, twenty selectors and all links of every page. Arguments: `start`, `scope` (any or host). */
import { spider } from '../../dist/spider.js'

const SELECTORS = [
  ...[
    'h1',
    'h2',
    'h3',
    'main p',
    'article p',
    'nav a',
    'footer',
    'table td',
    'ul > li',
    'pre',
    'code',
    'dl dt',
    'dl dd',
  ],
  ...[
    'img[alt]',
    'a[rel]',
    '.section p:first-child',
    'div[class] > p',
    'meta[name="description"]',
    '.highlight',
    'em',
  ],
]

// biome-ignore lint/style/noDefaultExport: the file of a spider has one
export default ({ start, scope }) =>
  spider({
    name: 'extracts',
    start,
    ...(scope === 'any' && { allow: '*' }),
    *parse(page) {
      const { title, text } = page.content()
      const found = SELECTORS.map((selector) => page.css(selector).length)
      yield page.item({ url: page.url, title, characters: text.length, found })
      yield* page.followAll('a')
    },
  })
