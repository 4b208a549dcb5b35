import { SelectorType, type TraversalType } from 'css-what'
import { ElementNode } from './nodes.ts'
import { ElementFlags, type SearchRange } from './search-range.ts'
import { prevElement } from './walk.ts'

/** One step of a relative selector: how an element is reached from the one before, and what it must be. */
export interface RelativeStep {
  readonly combinator: TraversalType
  readonly test: (element: ElementNode) => boolean
}

/**
 * `:has()` with one relative selector. The whole range is searched once, from the last step to the first: each element that passes a step
 * marks the elements from which it is reached. So the time grows with the page, and not with the number of elements that are tested.
 */
export class HasMatcher {
  readonly #range: SearchRange
  readonly #steps: readonly RelativeStep[]
  readonly #hidesTemplates: boolean
  /** Elements from which all steps are reached. */
  #anchors: ElementFlags
  #search = 0

  /** @param hidesTemplates the content of a `<template>` is not part of the elements around it */
  constructor(range: SearchRange, steps: readonly RelativeStep[], hidesTemplates: boolean) {
    this.#range = range
    this.#steps = steps
    this.#hidesTemplates = hidesTemplates
    this.#anchors = new ElementFlags(range)
  }

  matches(element: ElementNode): boolean {
    if (!this.#range.covers(element)) return false
    if (this.#search !== this.#range.search) {
      this.#search = this.#range.search
      this.#anchors = this.#findAnchors()
    }
    return this.#anchors.get(element) === MARKED
  }

  #findAnchors(): ElementFlags {
    let reached: ElementFlags | undefined
    for (const [index, { combinator, test }] of [...this.#steps.entries()].reverse()) {
      const next = reached
      const marks = new ElementFlags(this.#range)
      const leadsInside = isDownward(this.#steps[index + 1])
      this.#range.forEachElement((element) => {
        if ((next !== undefined && next.get(element) !== MARKED) || !test(element)) return
        // As in css-select: in `:has(a b)` the `a` may be the element that is tested.
        if (index === 0 && this.#isFlexible) marks.set(element, MARKED)
        if (!leadsInside || !this.#isTemplate(element)) this.#mark(element, combinator, marks)
      })
      reached = marks
    }
    return reached ?? new ElementFlags(this.#range)
  }

  get #isFlexible(): boolean {
    const [first, second] = this.#steps
    return first?.combinator === SelectorType.Descendant && isDownward(second)
  }

  /** Marks the elements from which `combinator` leads to `element`. Where one is marked already, those further on are. */
  #mark(element: ElementNode, combinator: TraversalType, marks: ElementFlags): void {
    if (combinator === SelectorType.Adjacent || combinator === SelectorType.Sibling) {
      let before = prevElement(element)
      while (before !== null && this.#range.covers(before) && marks.get(before) !== MARKED) {
        marks.set(before, MARKED)
        before = combinator === SelectorType.Adjacent ? null : prevElement(before)
      }
      return
    }
    let around = element.parent
    while (around instanceof ElementNode && this.#range.covers(around) && marks.get(around) !== MARKED) {
      marks.set(around, MARKED)
      around = combinator === SelectorType.Child || this.#isTemplate(around) ? null : around.parent
    }
  }

  #isTemplate({ name }: ElementNode): boolean {
    return this.#hidesTemplates && name === 'template'
  }
}

const MARKED = 1

function isDownward(step: RelativeStep | undefined): boolean {
  return step?.combinator === SelectorType.Descendant || step?.combinator === SelectorType.Child
}
