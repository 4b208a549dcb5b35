import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseHTML } from 'linkedom'
import { listHtmlFiles } from './html-pages.ts'
import { wordsOf } from './word-overlap.ts'

/** Pages of a documentation package, and what their main content is. */
export interface ContentSource {
  readonly name: string
  readonly package: string
  readonly root: string
  /** Selects the main content; the first selector that matches something counts. */
  readonly truth: readonly string[]
  /** Removed from it: navigation inside of it. */
  readonly without?: string
  /** The reST source of a page, if the package has it. */
  readonly source?: (root: string, path: string) => string
}

export interface ContentPage {
  readonly name: string
  readonly html: string
  /** The page without names of classes and elements that tell its parts apart. */
  readonly unmarked: string
  /** Text of the main content. */
  readonly truth: string
}

const sphinxSource = (root: string, path: string) =>
  join(root, '_sources', path.replace(/\.html$/, '.rst.txt'))

export const CONTENT_SOURCES: readonly ContentSource[] = [
  {
    ...{ name: 'debian-policy', package: 'debian-policy', root: '/usr/share/doc/debian-policy/policy.html' },
    ...{ truth: ['[role=main]'], source: sphinxSource },
  },
  {
    ...{
      name: 'pandas',
      package: 'python-pandas-doc',
      root: '/usr/share/doc/python-pandas-doc/html/user_guide',
    },
    ...{ truth: ['main'], without: '.prev-next-area' },
    source: (root, path) => sphinxSource(join(root, '..'), join('user_guide', path)),
  },
  {
    ...{ name: 'scipy', package: 'python-scipy-doc', root: '/usr/share/doc/python-scipy-doc/html' },
    ...{ truth: ['main'], without: '.prev-next-area' },
  },
  {
    ...{ name: 'django', package: 'python-django-doc', root: '/usr/share/doc/python-django-doc/html' },
    truth: ['#yui-main .yui-g'],
  },
  {
    ...{ name: 'apache2', package: 'apache2-doc', root: '/usr/share/doc/apache2-doc/manual/en' },
    ...{ truth: ['#page-content'], without: '.toplang, .bottomlang, .top, #comments_section, button' },
  },
  {
    ...{ name: 'debian-handbook', package: 'debian-handbook', root: '/usr/share/doc/debian-handbook/html' },
    truth: ['body > .chapter', 'body > .section', 'body > .preface', 'body > .appendix', 'body > .article'],
  },
  {
    ...{ name: 'sqlite3', package: 'sqlite3-doc', root: '/usr/share/doc/sqlite3', truth: ['.fancy'] },
  },
  {
    ...{ name: 'valgrind', package: 'valgrind', root: '/usr/share/doc/valgrind/html' },
    truth: ['body > .chapter', 'body > .sect1', 'body > .article', 'body > .book'],
  },
  {
    ...{
      name: 'libreoffice',
      package: 'libreoffice-dev-doc',
      root: '/usr/share/doc/libreoffice/sdk/docs/cpp/ref',
    },
    truth: ['div.contents'],
  },
  // Never looked at while the rules were written.
  { name: 'nodejs', package: 'nodejs', root: '/usr/share/doc/nodejs/api', truth: ['#apicontent'] },
]

/** Pages of one package, evenly spread, that have a main content of some words. */
export function contentPages(source: ContentSource, count: number): ContentPage[] {
  const files = listHtmlFiles(source.root)
  const pages: ContentPage[] = []
  // More than needed are looked at, because index pages and frames have no truth.
  const step = Math.max(1, files.length / (count * 3))
  for (let i = 0; i < files.length && pages.length < count * 3; i += step) {
    const file = files[Math.floor(i)] ?? ''
    const html = readFileSync(file, 'utf8')
    if (html.length > 400_000) continue
    const truth = truthOf(html, source)
    if (truth === undefined || wordsOf(truth).length < 80) continue
    pages.push({ name: relative(source.root, file), html, unmarked: withoutMarks(html), truth })
  }
  const spread = Math.max(1, pages.length / count)
  return Array.from(
    { length: Math.min(count, pages.length) },
    (_, i) => pages[Math.floor(i * spread)],
  ).filter((page) => page !== undefined)
}

function truthOf(html: string, { truth, without }: ContentSource): string | undefined {
  const { document } = parseHTML(html)
  const found = truth.flatMap((selector) => document.querySelector(selector) ?? [])[0]
  if (found === undefined) return undefined
  for (const hidden of found.querySelectorAll(
    `script, style, .headerlink, .permalink${without ? `, ${without}` : ''}`,
  ))
    hidden.remove()
  return spaced(found.innerHTML)
}

/** Text of markup, with a space where a tag is, so that cells and lines do not run together. Inline tags do not separate words. */
function spaced(markup: string): string {
  const text = markup.replace(
    /<\/?(?:b|i|em|strong|code|span|a|tt|var|sub|sup|kbd|samp|acronym|cite)\b[^>]*>/g,
    '',
  )
  const { document } = parseHTML(`<html><body><p>${text.replace(/<[^>]*>/g, ' ')}</p></body></html>`)
  return document.body.textContent ?? ''
}

/** Removes what gives the main content away: ids, classes, roles, and elements such as `<main>`, `<nav>` and `<footer>`. */
export function withoutMarks(html: string): string {
  return html
    .replace(/<(\/?)(?:main|article|nav|header|footer|aside|section)\b/gi, '<$1div')
    .replace(/<[a-z][^>]*>/gi, (tag) =>
      tag.replace(
        /\s(?:id|class|role|aria-[a-z]+|itemprop|itemtype|itemscope|summary|rel)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi,
        '',
      ),
    )
}
