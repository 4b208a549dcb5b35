import type { WantedUnit } from './rank-names.ts'

/**
 * How close to one another the words of a query are in a text: 1 if they are next to one another in their order somewhere, less in another
 * order, and less the more is between them. Words that the text lacks make it less, by their weights; one word alone is 0. Units with other
 * forms count by whichever form is there. A word that only the URL has, such as the name of a section, belongs to the whole page: it is neither
 * close nor far, and halves it.
 */
export function proximityOf(text: string, units: readonly WantedUnit[], url = ''): number {
  if (units.length < 2) return 0
  const lower = text.toLowerCase()
  const address = url.toLowerCase()
  const places: Place[][] = []
  let inUrl = 0
  let found = 0
  let wanted = 0
  for (const unit of units) {
    const list = placesOf(lower, unit)
    wanted += unit.weight
    if (list.length > 0) places.push(list)
    else if (placesOf(address, unit).length > 0) inUrl++
    else continue
    found += unit.weight
  }
  if (places.length + inUrl < 2) return 0
  const close = places.length < 2 ? 1 : bestWindow(places)
  return (found / wanted) ** 2 * (inUrl > 0 ? close / 2 : close)
}

interface Place {
  readonly start: number
  readonly end: number
}

/** In order; the first ones of a word that is there very often. */
function placesOf(lower: string, { words, forms, synonyms }: WantedUnit): Place[] {
  const places: Place[] = []
  for (const written of [words.join(' '), ...forms, ...synonyms.map((synonym) => synonym.join(' '))])
    collect(lower, written, places)
  // A phrase may be written with other signs between its words: `create_table`.
  if (places.length === 0 && words.length > 1)
    for (const { index, 0: found } of lower.matchAll(new RegExp(words.join('[^a-z0-9]{1,3}'), 'g')))
      places.push({ start: index, end: index + found.length })
  return places.sort((a, b) => a.start - b.start)
}

const MAX_PLACES = 300

function collect(lower: string, written: string, places: Place[]): void {
  let at = lower.indexOf(written)
  for (let count = 0; at !== -1 && count < MAX_PLACES; count++) {
    const end = at + written.length
    if (!isLetter(lower.charCodeAt(at - 1)) && !isLetter(lower.charCodeAt(end)))
      places.push({ start: at, end })
    at = lower.indexOf(written, end)
  }
}

/** Of scripts with spaces between words: others have no word ends to look for. NaN at the ends of a text is not one. */
function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0xc0 && code <= 0x52f)
}

/** Moves on with the word that is first, so that each window is seen that no smaller one is in. */
function bestWindow(places: readonly (readonly Place[])[]): number {
  const at = places.map(() => 0)
  let best = 0
  for (;;) {
    let first = 0
    let last = 0
    let letters = 0
    let isInOrder = true
    for (let i = 0; i < places.length; i++) {
      const place = places[i]?.[at[i] ?? 0]
      if (place === undefined) return best
      letters += place.end - place.start
      if (place.start < (places[first]?.[at[first] ?? 0]?.start ?? 0)) first = i
      if (place.end > (places[last]?.[at[last] ?? 0]?.end ?? 0)) last = i
      if (i > 0 && place.start < (places[i - 1]?.[at[i - 1] ?? 0]?.end ?? 0)) isInOrder = false
    }
    const start = places[first]?.[at[first] ?? 0]?.start ?? 0
    const end = places[last]?.[at[last] ?? 0]?.end ?? 0
    const between = Math.max(0, end - start - letters - (places.length - 1))
    best = Math.max(best, (isInOrder ? 1 : OTHER_ORDER) / (1 + between / HALF))
    at[first] = (at[first] ?? 0) + 1
  }
}

const OTHER_ORDER = 0.7
/** Characters between the words with which they count half. */
const HALF = 25
