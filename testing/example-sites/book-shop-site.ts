import { escapeHtml } from '../../src/demo/render-page.ts'
import { type ExampleSite, htmlPage, portion } from './example-site.ts'

const CATEGORIES = { poetry: 'Poetry', travel: 'Travel & Maps', cooking: 'Cooking' } as const
const PER_PAGE = 5

interface Book {
  readonly id: string
  readonly title: string
  readonly category: keyof typeof CATEGORIES
  readonly price: number
  readonly inStock: boolean
}

const BOOKS: readonly Book[] = Array.from({ length: 23 }, (_, number) => ({
  id: `book-${number}`,
  title: `The ${number}th “Book” & Other Stories`,
  category: (['poetry', 'travel', 'cooking'] as const)[number % 3] ?? 'poetry',
  // Every seventh costs more than a thousand: the shop writes those with a comma.
  price: number % 7 === 6 ? 1250.5 + number : 5.25 + number,
  inStock: number % 4 !== 0,
}))

/** The items that a spider must find. */
export function booksAt(site: string) {
  return BOOKS.map(({ id, category, ...book }) => ({
    ...book,
    category: CATEGORIES[category],
    url: new URL(`books/${id}`, site).href,
  }))
}

/** Categories, lists of books on several pages, and books. One stands in every list, and so does a link that leads nowhere. */
export const bookShopSite: ExampleSite = {
  disallowed: ['/staff/'],
  response({ path, query }) {
    if (path === '/') return frontPage()
    const [, category] = /^\/category\/(\w+)$/.exec(path) ?? []
    if (category !== undefined && category in CATEGORIES)
      return categoryPage(category as Book['category'], Number(query.get('page') ?? 1))
    const [, cover] = /^\/covers\/(book-\d+)\.png$/.exec(path) ?? []
    if (cover !== undefined)
      return { headers: { 'content-type': 'image/png', etag: `"${cover}"` }, body: coverOf(cover) }
    const book = BOOKS.find(({ id }) => path === `/books/${id}` || path === `/staff/${id}`)
    return book && bookPage(book)
  },
}

function frontPage() {
  const links = Object.entries(CATEGORIES).map(
    ([id, name]) => `<a href="/category/${id}">${escapeHtml(name)}</a>`,
  )
  return htmlPage('Books', `<nav class="categories">${links.join('')}<a href="/staff/book-1">Staff</a></nav>`)
}

function categoryPage(category: Book['category'], number: number) {
  const { items, more } = portion(
    BOOKS.filter((book) => book.category === category),
    number,
    PER_PAGE,
  )
  // On every page, as shops do.
  const shown = [...items, ...BOOKS.slice(0, 1)]
  const books = shown.map(({ id, title }) => `<li><a href="../books/${id}">${escapeHtml(title)}</a></li>`)
  const next = more ? `<p class="next"><a href="?page=${number + 1}">next</a></p>` : ''
  return htmlPage(
    category,
    `<ul class="books">${books.join('')}<li><a href="/books/gone">Sold</a></li><li><a href="/staff/book-2">?</a></li></ul>${next}`,
  )
}

/** The bytes of the cover of a book. */
export function coverOf(id: string): Uint8Array {
  return Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.from(id)])
}

function bookPage({ id, title, category, price, inStock }: Book) {
  const priceText = price.toLocaleString('en', { minimumFractionDigits: 2 })
  return htmlPage(
    escapeHtml(title),
    `<a class="category" href="/category/${category}">${escapeHtml(CATEGORIES[category])}</a>
    <h1>${escapeHtml(title)}</h1><img class="cover" src="/covers/${id}.png" alt=""><p class="price">£${priceText}</p>
    ${inStock ? '<p class="in-stock">In stock</p>' : '<p>Sold out</p>'}`,
  )
}
