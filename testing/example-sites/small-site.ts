import { type ExampleSite, htmlPage } from './example-site.ts'

/** One of many: a front page that links to `pages` others, which link on, and to what is not its own. */
export function smallSite(name: string, pages: number): ExampleSite {
  return {
    disallowed: ['/private'],
    response({ path }) {
      if (path === '/') return htmlPage(name, links(pages))
      const number = Number(/^\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
      return number <= pages
        ? htmlPage(`${name} ${number}`, `<a href="/">home</a> <a href="/${number}/more">more</a>`)
        : undefined
    },
  }
}

/** The first `most` pages of a small site, as a breadth-first crawl finds them. */
export function pagesOf(name: string, pages: number, site: string, most: number) {
  const all = [
    { url: site, title: name, language: 'en' },
    ...Array.from({ length: pages }, (_, index) => ({
      url: `${site}${index + 1}`,
      title: `${name} ${index + 1}`,
      language: 'en',
    })),
  ]
  return all.slice(0, most)
}

function links(pages: number): string {
  const own = Array.from({ length: pages }, (_, index) => `<a href="/${index + 1}">${index + 1}</a>`)
  return `<a href="/private">private</a> ${own.join(' ')} <a href="https://elsewhere.example/">elsewhere</a>`
}
