/** Word-level overlap; repeated words count as often as they are repeated. */
export function overlap(
  truth: string,
  found: string,
): { readonly f1: number; readonly precision: number; readonly recall: number } {
  const wanted = new Map<string, number>()
  const truthWords = wordsOf(truth)
  for (const word of truthWords) wanted.set(word, (wanted.get(word) ?? 0) + 1)
  const foundWords = wordsOf(found)
  let both = 0
  for (const word of foundWords) {
    const left = wanted.get(word) ?? 0
    if (left === 0) continue
    both++
    wanted.set(word, left - 1)
  }
  const precision = foundWords.length === 0 ? 0 : both / foundWords.length
  const recall = truthWords.length === 0 ? 0 : both / truthWords.length
  return {
    precision,
    recall,
    f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
  }
}

/** Words in lower case; scripts without spaces are split into characters. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}\p{M}_]+/gu) ?? []
}
