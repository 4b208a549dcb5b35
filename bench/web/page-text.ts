import type { Random } from './random.ts'

const SYLLABLES =
  'ka lo mi ter van sol pre dun al ber cor den es fin gor hal in jor kel mar nor os per qui ras'.split(' ')

/** A vocabulary, so that texts repeat words as real ones do. */
export function words(random: Random, n: number): string[] {
  return Array.from({ length: n }, () =>
    Array.from({ length: 1 + random.below(4) }, () => random.of(SYLLABLES)).join(''),
  )
}

/** @param length of the text, in characters, about */
export function paragraph(random: Random, vocabulary: readonly string[], length: number): string {
  let text = ''
  while (text.length < length) {
    const word = random.of(vocabulary)
    const tag = random.below(40)
    text +=
      tag === 0 ? `<em>${word}</em> ` : tag === 1 ? `${word} &amp; ` : tag === 2 ? `${word}. ` : `${word} `
  }
  return `<p class="text">${text}</p>\n`
}

/** What pages have beside their text: style, script, navigation. About 3 kB. */
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
