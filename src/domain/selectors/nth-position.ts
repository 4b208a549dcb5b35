import { ElementNode, type TreeNode } from './nodes.ts'

/**
 * `:nth-child()` and its relatives. css-select counts the siblings anew for each element, which takes minutes for a list
 * of 100,000; here they are counted once.
 */
const NTH: Readonly<Record<string, (element: ElementNode, formula: string | null | undefined) => boolean>> = {
  'nth-child': (element, formula) => fits(formula, placeOf(element).index),
  'nth-last-child': (element, formula) => fits(formula, fromEnd(placeOf(element))),
  'nth-of-type': (element, formula) => fits(formula, placeOf(element).ofType.index),
  'nth-last-of-type': (element, formula) => fits(formula, fromEnd(placeOf(element).ofType)),
}

/** css-select uses the number of parameters to decide whether a pseudo-class has an argument. */
const ALONE: Readonly<Record<string, (element: ElementNode) => boolean>> = {
  'first-child': (element) => placeOf(element).index === 1,
  'last-child': (element) => fromEnd(placeOf(element)) === 1,
  'only-child': (element) => placeOf(element).total.count === 1,
  'first-of-type': (element) => placeOf(element).ofType.index === 1,
  'last-of-type': (element) => fromEnd(placeOf(element).ofType) === 1,
  'only-of-type': (element) => placeOf(element).ofType.total.count === 1,
}

export const POSITION_PSEUDOS = { ...NTH, ...ALONE }

/** What is wrong with the formulas in a selector; `undefined`: nothing. */
export function nthProblem(selector: string): string | undefined {
  for (const [whole, formula = ''] of selector.matchAll(/:nth-(?:last-)?(?:child|of-type)\(([^()]*)\)?/gi)) {
    if (!FORMULA.test(formula.trim()))
      return `${whole} is not understood: write a number, odd, even or 2n+1 in it`
  }
  return undefined
}

const FORMULA = /^(?:(odd)|(even)|([+-]?\d*)n(?:\s*([+-])\s*(\d+))?|([+-]?\d+))$/i

/** Whether `index`, counted from 1, is one that the formula `an+b` gives for an n of 0 or more. */
function fits(formula: string | null | undefined, index: number): boolean {
  const parts = FORMULA.exec(formula?.trim() ?? '')
  if (parts === null) return false
  const [, odd, even, step, sign = '+', offset = '0', exact] = parts
  if (odd !== undefined) return index % 2 === 1
  if (even !== undefined) return index % 2 === 0
  if (exact !== undefined) return index === Number(exact)
  const a = /\d/.test(step ?? '') ? Number(step) : Number(`${step}1`)
  const distance = index - Number(sign + offset)
  return a === 0 ? distance === 0 : distance % a === 0 && distance / a >= 0
}

/** The position of an element among its siblings, counted from 1, and their number. */
interface Place {
  readonly index: number
  readonly total: { count: number }
}
type SiblingPlace = Place & { readonly ofType: Place }

function fromEnd({ index, total }: Place): number {
  return total.count - index + 1
}

const placesByParent = new WeakMap<TreeNode, ReadonlyMap<ElementNode, SiblingPlace>>()

function placeOf(element: ElementNode): SiblingPlace {
  const parent = element.parent ?? element
  let places = placesByParent.get(parent)
  if (places === undefined) {
    places = countChildren(parent)
    placesByParent.set(parent, places)
  }
  const place = places.get(element)
  if (place === undefined) throw new RangeError('an element is not among the children of its parent')
  return place
}

function countChildren(parent: TreeNode): ReadonlyMap<ElementNode, SiblingPlace> {
  const places = new Map<ElementNode, SiblingPlace>()
  const total = { count: 0 }
  const totalByName = new Map<string, { count: number }>()
  for (let child = parent.firstChild; child !== null; child = child.next) {
    if (!(child instanceof ElementNode)) continue
    const sameName = totalByName.get(child.name) ?? { count: 0 }
    totalByName.set(child.name, sameName)
    const ofType = { index: ++sameName.count, total: sameName }
    places.set(child, { index: ++total.count, total, ofType })
  }
  return places
}
