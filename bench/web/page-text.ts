import type { Random } from './random.ts'

const SYLLABLES =
  'ka lo mi ter van sol pre dun al ber cor den es fin gor hal in jor kel mar nor os per qui ras'.split(' ')

/** A vocabulary, so that texts repeat words as real ones do. */
export function words(random: Random, n: number): string[] {
  return Array.from({ length: n }, () =>
    Array.from({ length: 1 + random.below(4) }, () => random.of(SYLLABLES)).join(''),
  )
}

export function anchor(random: Random, vocabulary: readonly string[], href: string): string {
  return `<a class="link" href="${href}">${random.of(vocabulary)} ${random.of(vocabulary)}</a>`
}

/** One of the boxes that pages are made of: a heading, a picture, some text and many tags around them. About 520 bytes, a third of them text. */
export function card(random: Random, vocabulary: readonly string[], href: string | undefined): string {
  const word = () => random.of(vocabulary)
  const heading = href === undefined ? `${word()} ${word()}` : anchor(random, vocabulary, href)
  const id = random.below(100_000)
  return `<article class="card card-wide" id="card-${id}"><div class="card-media"><img class="image" src="/media/${id}.jpg" alt="${word()}" width="320" height="180" loading="lazy"></div>
<div class="card-body"><h3 class="card-title">${heading}</h3><p class="text">${sentence(random, vocabulary, 130)}</p>
<div class="card-meta"><span class="author">${word()}</span><time datetime="2026-01-02">2 January</time><button type="button" class="button button-small" data-id="${id}" aria-label="${word()}"><i class="icon"></i></button></div></div></article>
`
}

/** @param length in characters, about */
function sentence(random: Random, vocabulary: readonly string[], length: number): string {
  let text = ''
  while (text.length < length) {
    const word = random.of(vocabulary)
    const tag = random.below(40)
    text +=
      tag === 0 ? `<em>${word}</em> ` : tag === 1 ? `${word} &amp; ` : tag === 2 ? `${word}. ` : `${word} `
  }
  return text
}

/** Style, script and navigation of a page, about 3 kB. */
export function furniture(random: Random, vocabulary: readonly string[]): string {
  const rules = Array.from(
    { length: 12 },
    () => `.${random.of(vocabulary)}{margin:0 auto;padding:${random.below(20)}px;color:#345}`,
  )
  const statements = Array.from(
    { length: 10 },
    (_, i) => `var v${i}="${random.of(vocabulary)}<a href='/no'>";window.q=window.q||[];`,
  )
  const metas = Array.from(
    { length: 6 },
    () => `<meta property="og:${random.of(vocabulary)}" content="${random.of(vocabulary)}">`,
  )
  return `${metas.join('\n')}\n<style>${rules.join('\n')}</style>\n<script>${statements.join('\n')}</script>\n`
}
