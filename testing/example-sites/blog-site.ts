import { type ExampleSite, htmlPage } from './example-site.ts'

const TAGS = ['bees', 'bread', 'bridges'] as const
const TITLES = [
  'on-rain',
  'old-maps',
  'a-quiet-street',
  'salt',
  'the-long-way',
  'two-clocks',
  'winter',
  'paper',
] as const

/** What there is; each article is in the list of its year and of its tag, but for the last, which only another article links to. */
export const ARTICLES = TITLES.map((slug, number) => ({
  slug,
  title: `About ${slug.replaceAll('-', ' ')}`,
  author: number % 2 === 0 ? 'Ida Berg' : 'Tom Reyes',
  published: `202${number % 3}-0${number + 1}-1${number}`,
  words: 20 + number,
  tag: TAGS[number % TAGS.length] ?? 'bees',
}))

type Article = (typeof ARTICLES)[number]

const LISTED = ARTICLES.slice(0, -1)

/** Articles, and lists of them that can be sorted without end; drafts that robots.txt forbids look like articles. */
export const blogSite: ExampleSite = {
  disallowed: ['/drafts/'],
  response({ path }) {
    if (path === '/') return listPage('Blog', [])
    const [, kind, which = ''] = /^\/(tag|archive)\/(\w+)$/.exec(path) ?? []
    if (kind !== undefined)
      return listPage(
        which,
        LISTED.filter((article) => (kind === 'tag' ? article.tag : yearOf(article)) === which),
      )
    const article = ARTICLES.find((one) => path === pathOf(one) || path === `/drafts${pathOf(one)}`)
    return article && articlePage(article)
  },
}

function yearOf({ published }: Article): string {
  return published.slice(0, 4)
}

function pathOf(article: Article): string {
  return `/${yearOf(article)}/${article.slug}`
}

function navigation(): string {
  const tags = TAGS.map(
    (tag) => `<a href="/tag/${tag}">${tag}</a> <a href="/tag/${tag}?sort=title">by title</a>`,
  )
  const years = [2020, 2021, 2022].map((year) => `<a href="/archive/${year}">${year}</a>`)
  return `<nav>${tags.join(' ')}</nav><aside>${years.join(' ')} <a href="/drafts/2020/on-rain">draft</a></aside>`
}

function listPage(title: string, articles: readonly Article[]) {
  const links = articles.map((article) => `<p><a href="${pathOf(article)}">${article.title}</a></p>`)
  return htmlPage(
    title,
    `${navigation()}<main>${links.join('')}<a href="/tag/only-here">not a list</a></main>`,
  )
}

function articlePage(article: Article) {
  const { title, author, published, words } = article
  const next = ARTICLES[ARTICLES.indexOf(article) + 1]
  const more = next === undefined ? '' : `<a href="${pathOf(next)}">More: ${next.title}</a>`
  return htmlPage(
    title,
    `${navigation()}<article><h1>${title}</h1><a rel="author" href="/about">${author}</a>
    <time datetime="${published}">a while ago</time><div class="body">${'word '.repeat(words)}</div></article>${more}`,
  )
}
