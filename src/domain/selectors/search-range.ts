import { ElementNode, type RootNode } from './nodes.ts'
import { orderAfter } from './walk.ts'

/** Elements tested by one query at most: 5 times the elements of the largest page, or a few seconds. */
export const MAX_STEPS = 20_000_000

/** Thrown inside a query that has used up its steps; the query names itself in the error that it throws in place of it. */
export class OutOfSteps extends Error {}

export interface SearchedPart {
  /** The node that the selector is relative to. */
  readonly scope: RootNode | ElementNode
  /** The first node: the scope, or the document. */
  readonly top: RootNode | ElementNode
  /** Order of the first node after it. */
  readonly end: number
  /** Shared by all searches of one query. */
  readonly steps: { left: number }
}

/**
 * The part of a page that a query searches, as a range of document order. Results that a query remembers hold for one search.
 * Elements outside the range never match.
 */
export class SearchRange {
  #scope: RootNode | ElementNode | undefined
  #scopeEnd = 0
  #start = 0
  #end = 0
  #flags: ElementFlags[] = []
  #steps = { left: 0 }
  #search = 0

  /** The node that the selector is relative to. */
  get scope(): RootNode | ElementNode | undefined {
    return this.#scope
  }

  /** Differs from one search to the next. */
  get search(): number {
    return this.#search
  }

  /** Number of nodes. */
  get length(): number {
    return this.#end - this.#start
  }

  begin({ scope, top, end, steps }: SearchedPart): void {
    this.#search++
    this.#scope = scope
    this.#scopeEnd = orderAfter(scope)
    this.#start = top.order
    this.#end = end
    this.#steps = steps
  }

  /** Forgets the page: a query that waits for the next one must not keep this one in memory. */
  finish(): void {
    this.#scope = undefined
    for (const flags of this.#flags) flags.clear()
    this.#flags = []
  }

  /** @throws OutOfSteps */
  spend(steps: number): void {
    this.#steps.left -= steps
    if (this.#steps.left < 0) throw new OutOfSteps()
  }

  covers({ order }: ElementNode): boolean {
    return order >= this.#start && order < this.#end
  }

  /** Whether an element is the scope or inside it. */
  isInScope({ order }: ElementNode): boolean {
    return this.#scope !== undefined && order >= this.#scope.order && order < this.#scopeEnd
  }

  indexOf({ order }: ElementNode): number {
    return order - this.#start
  }

  /** Calls `callback` with all elements of the range, in document order. */
  forEachElement(callback: (element: ElementNode) => void): void {
    const scope = this.#scope
    const isWhole = this.#start === 0
    let element = scope instanceof ElementNode && !isWhole ? scope : (scope?.ownerDocument.following ?? null)
    let count = 0
    for (; element !== null && element.order < this.#end; element = element.following) {
      count++
      callback(element)
    }
    this.spend(count)
  }

  register(flags: ElementFlags): void {
    this.#flags.push(flags)
    this.spend(this.length >> 4)
  }
}

/** A small number for each element of a search range, 0 at first. The memory is taken with the first one that is set. */
export class ElementFlags {
  readonly #range: SearchRange
  #values: Uint8Array | undefined

  constructor(range: SearchRange) {
    this.#range = range
  }

  get(element: ElementNode): number {
    return this.#values?.[this.#range.indexOf(element)] ?? 0
  }

  set(element: ElementNode, value: number): void {
    if (this.#values === undefined) {
      this.#range.register(this)
      this.#values = new Uint8Array(this.#range.length)
    }
    this.#values[this.#range.indexOf(element)] = value
  }

  clear(): void {
    this.#values = undefined
  }
}
