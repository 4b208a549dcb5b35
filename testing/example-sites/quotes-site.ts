import { escapeHtml } from '../../src/demo/render-page.ts'
import { type ExampleSite, htmlPage, portion } from './example-site.ts'

const NAMES = ['Ada Quill', 'Bo Lindqvist', 'Chen Yù', 'Dora “D” Okafor'] as const
const TAGS = ['life', 'humour', 'rain & wind', 'work'] as const
const PER_PAGE = 4

/** What there is. Some have no tags. */
export const QUOTES = Array.from({ length: 18 }, (_, number) => ({
  text: `“To count to ${number} is to begin, & to <stop> is not.”`,
  author: NAMES[number % NAMES.length] ?? '',
  tags: TAGS.slice(0, number % 3),
}))

/** Quotes on pages that follow one another, each with a version to print that robots.txt forbids. */
export const quotesSite: ExampleSite = {
  disallowed: ['/print/'],
  response({ path }) {
    const [, place, number = ''] = /^\/(?:(page|print)\/(\d+)\/)?$/.exec(path) ?? [undefined]
    if (place === undefined && path !== '/') return undefined
    return quotesPage(Number(number) || 1)
  },
}

function quotesPage(number: number) {
  const { items, more } = portion(QUOTES, number, PER_PAGE)
  if (items.length === 0) return undefined
  const next = `<li class="next"><a href="/page/${number + 1}/">Next</a> <a href="/print/${number}/">Print</a></li>`
  return htmlPage('Quotes', `<h1>Quotes</h1>${items.map(quoteHtml).join('')}<ul>${more ? next : ''}</ul>`)
}

function quoteHtml({ text, author, tags }: (typeof QUOTES)[number]): string {
  const labels = tags.map(
    (tag) => `<a class="tag" href="/tag/${encodeURIComponent(tag)}">${escapeHtml(tag)}</a>`,
  )
  return `<div class="quote"><span class="text">${escapeHtml(text)}</span>
    by <small class="author">${escapeHtml(author)}</small> ${labels.join(' ')}</div>`
}
