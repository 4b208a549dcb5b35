/** Shapes of the diagrams in docs/images/. Colours are readable on light and on dark ground. */

/** A rectangle in pixels. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const ACCENT = '#2c7a67'
const PALE = '#e3efeb'
const INK = '#17332b'
const GREY = '#768390'

/** A whole picture. `title` is what a screen reader says. */
export function svgImage(
  size: { width: number; height: number },
  title: string,
  shapes: readonly string[],
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="system-ui, sans-serif" font-size="14" role="img">
<title>${escapeXml(title)}</title>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="${GREY}"/></marker></defs>
${shapes.join('\n')}
</svg>
`
}

/** A box with a heading and lines of smaller text below it. */
export function card(box: Box, heading: string, lines: readonly string[] = []): string {
  const { x, y, width, height } = box
  const middle = x + width / 2
  const top = y + (height - lines.length * LINE - 14) / 2 + 12
  return [
    rect(box, lines.length > 0 ? PALE : ACCENT),
    text(
      middle,
      top,
      heading,
      `text-anchor="middle" font-weight="600" fill="${lines.length > 0 ? INK : '#fff'}"`,
    ),
    ...lines.map((line, i) =>
      text(middle, top + 3 + (i + 1) * LINE, line, `text-anchor="middle" font-size="12" fill="${INK}"`),
    ),
  ].join('\n')
}

/** A box with a heading on its left and lines of text next to it. */
export function band(box: Box, heading: string, lines: readonly string[]): string {
  const top = box.y + (box.height - lines.length * LINE) / 2 + 13
  return [
    rect(box, PALE),
    rect({ ...box, width: BAND_HEADING }, ACCENT),
    text(
      box.x + BAND_HEADING / 2,
      box.y + box.height / 2 + 5,
      heading,
      'text-anchor="middle" font-weight="600" fill="#fff"',
    ),
    ...lines.map((line, i) =>
      text(box.x + BAND_HEADING + 14, top + i * LINE, line, `font-size="12" fill="${INK}"`),
    ),
  ].join('\n')
}

/** Height of a line of small text. */
export const LINE = 17
const BAND_HEADING = 96

/** A line through points, with an arrowhead at its end. */
export function arrow(...points: ReadonlyArray<readonly [number, number]>): string {
  return `<polyline points="${points.map((point) => point.join(',')).join(' ')}" fill="none" stroke="${GREY}" stroke-width="1.5" marker-end="url(#arrow)"/>`
}

/** Small text on the ground of the page. */
export function caption(
  x: number,
  y: number,
  words: string,
  anchor: 'start' | 'middle' | 'end' = 'middle',
): string {
  return text(x, y, words, `text-anchor="${anchor}" font-size="12" fill="${GREY}"`)
}

/** Words in lines of at most `columns` characters. */
export function wrapWords(words: readonly string[], columns: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < columns) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function rect({ x, y, width, height }: Box, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${fill}"/>`
}

function text(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escapeXml(words)}</text>`
}

function escapeXml(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
