import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pages as sites serve them: head, navigation, an article, a list of teasers, a table, a footer, inline script and style. */
export function generatePages(count: number): string[] {
  // Through bytes and back: a page comes from a decoder, in one piece, not as a rope of JavaScript strings.
  return Array.from({ length: count }, (_, seed) => Buffer.from(generatePage(new Dice(seed + 1))).toString())
}

/** Up to `max` HTML files below `directory`, evenly spread over all there are. */
export function readPages(directory: string, max: number): string[] {
  const files = listHtmlFiles(directory)
  const step = Math.max(1, files.length / max)
  const pages: string[] = []
  for (let i = 0; i < files.length; i += step) pages.push(readFileSync(files[Math.floor(i)] ?? '', 'utf8'))
  return pages
}

/** Paths of all HTML files below `directory`, sorted. */
export function listHtmlFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.x?html?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

const WORDS = (
  'the of and to in is that for it as was with be by on not he his but at are this have from which one had they you were ' +
  'their would there what could people water river century market engine number system history village mountain council ' +
  'northern railway station between published government population including university development international'
).split(' ')

function generatePage(dice: Dice): string {
  const title = dice.sentence(6)
  const nav = dice.times(
    18,
    () =>
      `<li class="nav-item nav-item--level-1"><a class="nav-link" href="/${dice.slug()}/">${dice.words(2)}</a></li>`,
  )
  const article = dice.times(24, () => paragraph(dice))
  const teasers = dice.times(24, () => teaser(dice))
  const rows = dice.times(
    12,
    () =>
      `<tr><td>${dice.words(2)}</td><td class="num">${dice.below(9999)}</td><td>${dice.words(3)}</td></tr>`,
  )
  const footer = dice.times(
    16,
    () =>
      `<li><a href="https://${dice.slug()}.example/${dice.slug()}" rel="nofollow noopener" target="_blank">${dice.words(2)}</a></li>`,
  )
  return `<!DOCTYPE html>
<html lang="en" class="no-js">
<head>
<meta charset="utf-8">
<title>${title} &ndash; Example Gazette</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${dice.sentence(20)}">
<meta name="robots" content="index, follow, max-snippet:-1">
<link rel="canonical" href="https://www.gazette.example/${dice.slug()}/">
<link rel="alternate" hreflang="de" href="https://www.gazette.example/de/${dice.slug()}/">
<link rel="alternate" type="application/rss+xml" title="News" href="/feed/">
<link rel="stylesheet" href="/assets/main.css?v=${dice.below(999)}">
<style>${dice.times(12, () => `.${dice.slug()}{margin:0 ${dice.below(9)}px;color:#${dice.below(999)}}`)}</style>
<script>window.dataLayer=window.dataLayer||[];${dice.times(20, () => `push({"${dice.slug()}":${dice.below(9999)},"u":"<b>${dice.words(3)}</b>"});`)}</script>
</head>
<body class="home page-template page-id-${dice.below(999)}">
<!-- ${dice.words(12)} -->
<header class="site-header" role="banner"><nav aria-label="Main"><ul class="nav">
${nav}
</ul></nav></header>
<main id="content">
<h1 class="entry-title">${title}</h1>
${article}
<table class="data"><thead><tr><th>Name</th><th>Value</th><th>Note</th></tr></thead><tbody>
${rows}
</tbody></table>
<section class="teasers">
${teasers}
</section>
</main>
<footer><ul>${footer}</ul><p>&copy; 2026 Example Gazette. All rights reserved.</p></footer>
<script type="application/ld+json">{"@context":"https://schema.org","name":"${title}","text":"${dice.sentence(40)}"}</script>
</body>
</html>
`
}

function paragraph(dice: Dice): string {
  const link = `<a href="/${dice.slug()}/${dice.slug()}.html?id=${dice.below(9999)}&amp;ref=text" title="${dice.words(2)}">${dice.words(3)}</a>`
  const strong = dice.below(2) === 0 ? `<strong>${dice.words(2)}</strong>` : `&ldquo;${dice.words(4)}&rdquo;`
  return `<p>${dice.sentence(18)} ${link} ${dice.words(14)}, ${strong} ${dice.words(12)} &mdash; ${dice.sentence(10)}</p>`
}

function teaser(dice: Dice): string {
  const href = `/${dice.slug()}/${dice.slug()}-${dice.slug()}/`
  return `    <article class="teaser teaser--small" data-id="${dice.below(99999)}">
      <a href="${href}" class="teaser__image" tabindex="-1"><img src="/img/${dice.slug()}.jpg" alt="${dice.words(3)}" width="320" height="180" loading="lazy"></a>
      <div class="teaser__body">
        <h3 class="teaser__title"><a href="${href}">${dice.words(6)}</a></h3>
        <p class="teaser__text">${dice.sentence(16)}</p>
        <span class="meta"><time datetime="2026-03-${10 + dice.below(18)}">${dice.below(28)} March 2026</time></span>
      </div>
    </article>`
}

/** The same numbers on every run. */
class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }

  words(count: number): string {
    return Array.from({ length: count }, () => WORDS[this.below(WORDS.length)]).join(' ')
  }

  sentence(count: number): string {
    const words = this.words(count)
    return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
  }

  slug(): string {
    return this.words(2).replace(' ', '-')
  }

  times(count: number, make: () => string): string {
    return Array.from({ length: count }, make).join('\n')
  }
}
