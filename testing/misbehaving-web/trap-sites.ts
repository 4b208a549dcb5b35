import { page, type Routes, reply, route } from './route.ts'

const ONE_MONTH = /^\/calendar\/(\d+)\/(\d+)$/

/** What changes with every request. */
let requests = 0

/** Hosts on which a crawler could stay for ever. */
export const trapSites: Routes = {
  'soft-404.test': route(
    [53],
    'every path is the home page, with 200',
    page('<title>Home</title><a href="/">home</a>'),
  ),
  'calendar.test': route([55], 'a calendar that leads to the next month for ever', (exchange) => {
    const [, year = '2026', month = '1'] = ONE_MONTH.exec(exchange.request.path) ?? []
    const next = Number(month) === 12 ? `${Number(year) + 1}/1` : `${year}/${Number(month) + 1}`
    return page(`<title>${year}-${month}</title><a href="/calendar/${next}">next month</a>`)(exchange)
  }),
  'facets.test': route([55], 'twelve filters, each with or without the others', (exchange) => {
    const links = [...'abcdefghijkl'].map((facet) => {
      const query = new URLSearchParams(exchange.request.query)
      query.set(facet, '1')
      return `<a href="/shop?${query.toString().replaceAll('&', '&amp;')}">${facet}</a>`
    })
    return page(`<title>shop</title>${links.join('')}`)(exchange)
  }),
  'deeper.test': route([55], 'relative links that pile up: /a/b/a/b/…', page('<a href="a/b/">deeper</a>')),
  'sessions.test': route([54], 'a new session id in every link', (exchange) => {
    const id = (++requests).toString(16).padStart(32, '0')
    return page(`<a href="/page;jsessionid=${id}">page</a><a href="/page?PHPSESSID=${id}">page</a>`)(exchange)
  }),
  'tarpit.test': route([56], 'words of no meaning, slowly, and links to more of them', async (exchange) => {
    const word = (i: number): string =>
      Math.imul(i + exchange.request.target.length, 2_654_435_761)
        .toString(36)
        .slice(1)
    const words = Array.from(
      { length: 50 },
      (_, i) => `${word(i)} <a href="/${word(i)}/${word(i + 7)}">${word(i * 3)}</a>`,
    )
    await exchange.pause(100)
    await page(words.join(' '))(exchange)
  }),
  'links.test': route([57], '100,000 links to 100,000 hosts', (exchange) => {
    const links = Array.from({ length: 100_000 }, (_, i) => `<a href="http://h${i}.test/">${i}</a>`)
    return page(links.join('\n'))(exchange)
  }),
  'nonce.test': route([58], 'the same page with another token each time', (exchange) => {
    const token = (++requests).toString(36)
    return page(`<title>form</title><meta name="csrf" content="${token}"><p>The same text.</p>`)(exchange)
  }),
  'storm.test': route([60], 'a 429 to everything', reply({ status: 429 })),
}
