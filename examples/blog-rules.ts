import { type SpiderArguments, spider } from 'orbweaver'
import { z } from 'zod'

/** All articles of a blog, found by link rules. */
export default ({ site = 'https://blog.example/' }: SpiderArguments) =>
  spider({
    name: 'blog-rules',
    start: [site],
    item: z.object({
      title: z.string().min(1),
      author: z.string().min(1),
      published: z.iso.date(),
      words: z.int().positive(),
    }),

    rules: [
      // An article, wherever it is linked; it links to others.
      { links: { allow: /\/\d{4}\/[a-z-]+$/ }, handler: 'article', follow: true },
      // Lists of articles: only looked through for links.
      { links: { allow: [/\/tag\//, /\/archive\//], deny: /[?&]sort=/, restrictCss: 'nav, aside' } },
    ],

    handlers: {
      article(page) {
        return page.item({
          title: page.text('article h1'),
          author: page.text('[rel=author]'),
          published: page.attr('time', 'datetime'),
          words: page.text('.body').split(' ').length,
        })
      },
    },
  })
