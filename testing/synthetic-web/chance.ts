/** A whole number below 2^32 that looks random and is the same for the same numbers. */
export function chance(...numbers: readonly number[]): number {
  let hash = 0x9e3779b9
  for (const number of numbers) {
    hash = Math.imul(hash ^ number, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    hash ^= hash >>> 16
  }
  return hash >>> 0
}

const SYLLABLES = [
  'ba',
  'de',
  'fi',
  'go',
  'ku',
  'la',
  'me',
  'ni',
  'po',
  'ru',
  'sa',
  'te',
  'vi',
  'wo',
  'zu',
  'ha',
]

/** Generated text without a full stop. */
export function words(count: number, ...numbers: readonly number[]): string {
  const all: string[] = []
  for (let i = 0; i < count; i++) {
    const bits = chance(i, ...numbers)
    const syllables = [bits & 15, (bits >>> 4) & 15, (bits >>> 8) & 15].map((syllable) => SYLLABLES[syllable])
    all.push(syllables.slice(0, 2 + ((bits >>> 12) & 1)).join(''))
  }
  return all.join(' ')
}
