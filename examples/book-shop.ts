import { type SpiderArguments, spider } from 'orbweaver'
import { z } from 'zod'

/** All books of a shop: from the categories, over their pages, to each book; exported as a Parquet table. */
export default ({ site = 'https://shop.example/' }: SpiderArguments) =>
  spider({
    name: 'book-shop',
    start: [site],
    out: 'books.parquet',
    item: z.object({
      title: z.string().min(1),
      category: z.string().min(1),
      price: z.number().positive(),
      inStock: z.boolean(),
      url: z.url(),
    }),

    *parse(page) {
      yield* page.followAll('.categories a', 'category')
    },

    handlers: {
      *category(page) {
        yield* page.followAll('.books a', 'book')
        yield* page.followAll('.next a', 'category')
      },

      book(page) {
        return page.item({
          title: page.text('h1'),
          category: page.text('.category'),
          price: page.number('.price'),
          inStock: page.css('.in-stock').exists,
          url: page.url,
        })
      },
    },
  })
