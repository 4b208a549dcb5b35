/** A spider for `orbweaver run`: the title of every page, and all its links. Arguments: `start`, `scope` (any or host). */
import { spider } from '../../dist/spider.js'

// biome-ignore lint/style/noDefaultExport: the file of a spider has one
export default ({ start, scope }) =>
  spider({
    name: 'links',
    start,
    ...(scope === 'any' && { allow: '*' }),
    *parse(page) {
      yield page.item({ url: page.url, title: page.text('title') })
      yield* page.followAll('a')
    },
  })
