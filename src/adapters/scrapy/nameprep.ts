/**
 * Nameprep (RFC 3491), which IDNA had in 2003: case folded, in one compatibility form, then checked. `undefined` for a label
 * with a forbidden character, or whose directions of writing do not go together.
 */
export function prepareName(label: string): string | undefined {
  const kept = Array.from(label).filter((character) => !isMappedToNothing(character))
  const unified = kept.join('').normalize('NFKC')
  const folded = Array.from(unified, fold).join('').normalize('NFKC')
  const characters = Array.from(folded)
  if (characters.some(isProhibited)) return undefined
  return isOneDirection(characters) ? folded : undefined
}

/** Through the capital, so that `ß` becomes `ss` and `ς` becomes `σ`; the dotless `ı` is the one letter that must not go that way. */
function fold(character: string): string {
  return character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase()
}

function isOneDirection(characters: readonly string[]): boolean {
  if (!characters.some(isRightToLeft)) return true
  const ends = [characters.at(0), characters.at(-1)]
  return ends.every((end) => end !== undefined && isRightToLeft(end)) && !characters.some(isLeftToRight)
}

/** RFC 3454, table B.1. */
const isMappedToNothing = characterTable('ad 34f 1806 180b-180d 200b-200d 2060 fe00-fe0f feff')

/** Tables C.1.2 to C.9: spaces, controls, private use, surrogates, tags. The noncharacters of each plane are seen by their ends. */
const isForbidden = characterTable(
  '80-a0 340-341 6dd 70f 1680 180e 2000-200f 2028-202f 205f-2063 206a-206f 2ff0-2ffb 3000 e000-f8ff fdd0-fdef feff fff9-ffff ' +
    '1d173-1d17a e0001 e0020-e007f f0000-10ffff',
)

/** Table D.1. */
const isRightToLeft = characterTable(
  '5be 5c0 5c3 5d0-5ea 5f0-5f4 61b 61f 621-63a 640-64a 66d-66f 671-6d5 6dd 6e5-6e6 6fa-6fe 700-70d 710 712-72c 780-7a5 7b1 ' +
    '200f fb1d fb1f-fb28 fb2a-fb36 fb38-fb3c fb3e fb40-fb41 fb43-fb44 fb46-fbb1 fbd3-fd3d fd50-fd8f fd92-fdc7 fdf0-fdfc ' +
    'fe70-fe74 fe76-fefc',
)

/** Stands for the 360 ranges of table D.2: letters, spacing marks and letter-like numbers that are not in D.1. */
function isLeftToRight(character: string): boolean {
  return /[\p{L}\p{Mc}\p{Nl}]/u.test(character) && !isRightToLeft(character)
}

function isProhibited(character: string): boolean {
  return isForbidden(character) || ((character.codePointAt(0) ?? 0) & 0xfffe) === 0xfffe
}

/** @param ranges code points in hex: `a1 c0-c5` */
function characterTable(ranges: string): (character: string) => boolean {
  const pairs = ranges.split(' ').map((range) => {
    const [first = '', last = first] = range.split('-')
    return { first: Number.parseInt(first, 16), last: Number.parseInt(last, 16) }
  })
  return (character) => {
    const point = character.codePointAt(0) ?? 0
    return pairs.some(({ first, last }) => first <= point && point <= last)
  }
}
