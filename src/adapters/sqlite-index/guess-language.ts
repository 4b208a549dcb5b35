/**
 * The language of texts, by words that nearly every text of it has and texts of other languages do not; `undefined`: none of those
 * that have a stemmer. Few of its words have to be in most pages: pages of code and of names have few of them.
 * @param pagesOf how many pages have a word
 */
export function guessLanguage(pagesOf: (word: string) => number, pages: number): string | undefined {
  let guessed: string | undefined
  let most = pages * MIN_PART
  for (const [lang, words] of FREQUENT_WORDS) {
    const mean = words.reduce((sum, word) => sum + pagesOf(word), 0) / words.length
    if (mean <= most) continue
    guessed = lang
    most = mean
  }
  return guessed
}

/** Of all pages, that must have a word of a language on average. */
const MIN_PART = 0.3

/** As the index has them: in lower case, without accents. */
const FREQUENT_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['en', ['the', 'of', 'and', 'with']],
  ['de', ['und', 'der', 'nicht', 'mit']],
  ['fr', ['les', 'dans', 'une', 'pour']],
  ['es', ['los', 'las', 'del', 'una']],
  ['it', ['che', 'della', 'sono', 'gli']],
  ['pt', ['uma', 'nao', 'dos', 'sao']],
  ['nl', ['het', 'een', 'niet', 'zijn']],
  ['sv', ['och', 'att', 'inte', 'fran']],
  ['da', ['og', 'ikke', 'af', 'hvad']],
  ['nb', ['og', 'ikke', 'av', 'hva']],
  ['fi', ['ja', 'ei', 'etta', 'joka']],
  ['hu', ['es', 'hogy', 'nem', 'egy']],
  ['ro', ['si', 'din', 'pentru', 'este']],
  ['tr', ['ve', 'bir', 'icin', 'ile']],
  ['ru', ['и', 'что', 'это', 'для']],
  ['uk', ['і', 'що', 'та', 'від']],
  ['bg', ['и', 'се', 'са', 'като']],
  ['el', ['και', 'το', 'του', 'για']],
])

/** All of them. */
export const LANGUAGE_WORDS: readonly string[] = [...new Set([...FREQUENT_WORDS.values()].flat())]
