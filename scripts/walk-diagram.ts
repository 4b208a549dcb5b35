import { arrow, type Box, card, svgImage } from './svg-shapes.ts'

const COLUMNS = 4
const CARD = { width: 190, height: 74 }
const GAP = { x: 30, y: 40 }

/** A step of a walk in docs/architecture.md. */
interface WalkStep {
  readonly number: number
  /** **Inject.** */
  readonly name: string
  /** Names of the first files that the step uses, without folder and suffix. */
  readonly files: readonly string[]
}

/**
 * The numbered steps of a walk as a picture.
 * @param page docs/architecture.md
 * @param heading of the walk
 * @param loop the steps between which a new URL returns: from the first to the second
 */
export function walkDiagram(page: string, heading: string, loop: readonly [string, string]): string {
  const steps = walkSteps(page, heading)
  const boxes = steps.map((_, i) => boxAt(i))
  const shapes = steps.map(({ number, name, files }, i) =>
    card(boxes[i] ?? boxAt(i), `${number}. ${name}`, files.slice(0, 2)),
  )
  for (let i = 1; i < boxes.length; i++) shapes.push(step(boxes[i - 1] ?? boxAt(i - 1), boxes[i] ?? boxAt(i)))
  const [from, to] = loop.map((name) => boxes[steps.findIndex((other) => other.name === name)])
  if (from === undefined || to === undefined) throw new Error(`${heading} has no steps ${loop.join(' and ')}`)
  shapes.push(back(from, to))
  const rows = Math.ceil(steps.length / COLUMNS)
  const size = {
    width: 20 + COLUMNS * CARD.width + (COLUMNS - 1) * GAP.x,
    height: 50 + rows * CARD.height + (rows - 1) * GAP.y,
  }
  const names = steps.map(({ name }) => name.toLowerCase()).join(', ')
  return svgImage(size, `Steps of a URL: ${names}; new URLs return from ${loop[0]} to ${loop[1]}`, shapes)
}

/** The steps that have a name in bold. */
function walkSteps(page: string, heading: string): WalkStep[] {
  const [, walk = ''] = page.split(`## ${heading}\n`)
  const [section = ''] = walk.split(/^## /m)
  return section.split(/^(?=\d+\. |\n(?!\d))/m).flatMap((part) => {
    const [, number, name, body = ''] = /^(\d+)\. \*\*(\w+)\.\*\*(.*)/s.exec(part) ?? []
    if (number === undefined || name === undefined) return []
    const files = Array.from(body.matchAll(/`src\/[^`]*?([\w-]+)\.(?:ts|lua)`/g), ([, file = '']) => file)
    return [{ number: Number(number), name, files }]
  })
}

/** Rows run alternately to the right and to the left, so that neighbours follow each other. */
function boxAt(index: number): Box {
  const row = Math.floor(index / COLUMNS)
  const column = row % 2 === 0 ? index % COLUMNS : COLUMNS - 1 - (index % COLUMNS)
  return { x: 10 + column * (CARD.width + GAP.x), y: 40 + row * (CARD.height + GAP.y), ...CARD }
}

function step(from: Box, to: Box): string {
  const middle = from.y + from.height / 2
  if (to.y > from.y) {
    const x = from.x + from.width / 2
    return arrow([x, from.y + from.height + 2], [x, to.y - 3])
  }
  return to.x > from.x
    ? arrow([from.x + from.width + 2, middle], [to.x - 3, middle])
    : arrow([from.x - 2, middle], [to.x + to.width + 3, middle])
}

/** A new URL returns to an earlier step: between the rows, or above the first. */
function back(from: Box, to: Box): string {
  const lane = from.y === to.y ? to.y - 18 : from.y - GAP.y / 2
  const [start, end] = [from.x + from.width / 2 - 16, to.x + to.width / 2 - 16]
  return lane < to.y
    ? arrow([start, from.y - 2], [start, lane], [end, lane], [end, to.y - 3])
    : arrow([start, from.y - 2], [start, lane], [end, lane], [end, to.y + to.height + 3])
}
