import { createRequire } from 'node:module'

/** Gives the stem of a word: `indexes`, `indexed` and `indexing` have the stem `index`. */
export type Stemmer = (word: string) => string

/** The stemmer of a language tag (`en`, `pt-br`); `undefined` for languages without one. Loaded on first use. */
export function stemmerOf(lang: string): Stemmer | undefined {
  const code = lang.split('-', 1).join()
  const name = STEMMED.get(code)
  if (name === undefined) return undefined
  let stemmer = loaded.get(code)
  if (stemmer === undefined) {
    stemmer = (require(`@orama/stemmers/${name}`) as { readonly stemmer: Stemmer }).stemmer
    loaded.set(code, stemmer)
  }
  return stemmer
}

const require = createRequire(import.meta.url)
const loaded = new Map<string, Stemmer>()

/** Languages with words between spaces; accents are removed from their words before they are stemmed. */
const STEMMED: ReadonlyMap<string, string> = new Map([
  ...([
    ['bg', 'bulgarian'],
    ['da', 'danish'],
    ['de', 'german'],
    ['el', 'greek'],
    ['en', 'english'],
    ['es', 'spanish'],
    ['fi', 'finnish'],
    ['fr', 'french'],
    ['hu', 'hungarian'],
    ['it', 'italian'],
    ['nb', 'norwegian'],
    ['nl', 'dutch'],
    ['no', 'norwegian'],
    ['pt', 'portuguese'],
    ['ro', 'romanian'],
    ['ru', 'russian'],
    ['sr', 'serbian'],
    ['sv', 'swedish'],
    ['tr', 'turkish'],
    ['uk', 'ukrainian'],
  ] as const),
])
