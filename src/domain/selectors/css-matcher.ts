import { _compileUnsafe, type Options } from 'css-select'
import { parse, type Selector, SelectorType, type Traversal } from 'css-what'
import { HasMatcher, type RelativeStep } from './css-has.ts'
import { CSS_ADAPTER, CSS_PSEUDOS } from './css-pseudos.ts'
import { ElementNode, type MarkupKind, type TreeNode } from './nodes.ts'
import { ElementFlags, type SearchRange } from './search-range.ts'
import { prevElement } from './walk.ts'

/** Whether an element matches. */
export type ElementTest = (element: ElementNode) => boolean

/**
 * Compiles CSS selectors so that a search takes time in proportion to the page: css-select tests the parts between combinators, and what
 * a combinator finds is remembered for each element. css-select itself tries `a ~ b`, `:has(~ b)` and `a b c d` anew for each element,
 * which takes hours on a page of 10 MB that is made for it.
 */
export class CssMatcher {
  readonly #range: SearchRange
  readonly #kind: MarkupKind
  readonly #isDocument: boolean
  readonly #options: Options<TreeNode, ElementNode>

  /** @param isDocument the selector is for whole documents, and not relative to an element */
  constructor(range: SearchRange, kind: MarkupKind, isDocument: boolean) {
    this.#range = range
    this.#kind = kind
    this.#isDocument = isDocument
    this.#options = { adapter: CSS_ADAPTER, pseudos: CSS_PSEUDOS, xmlMode: kind === 'xml' }
  }

  /** @throws Error for a selector that is not CSS */
  compile(selectors: readonly Selector[][]): ElementTest {
    return anyOf(selectors.map((tokens) => this.#complex(tokens, true)))
  }

  #nested(selectors: readonly Selector[][]): ElementTest {
    return anyOf(selectors.map((tokens) => this.#complex(tokens, false)))
  }

  /** Compounds with combinators between them, tested from the right to the left. */
  #complex(tokens: readonly Selector[], isOutermost: boolean): ElementTest {
    const { leading, compounds } = splitAtCombinators(tokens)
    let reached: ElementTest | undefined
    if (leading !== undefined) reached = this.#reach(leading, this.#isScope)
    else if (!this.#isDocument && !tokens.some(namesScope) && (isOutermost || compounds.length > 1))
      reached = this.#isInScope
    for (const { tokens: compound, next } of compounds) {
      const isFlexible = next?.type === SelectorType.Descendant && !this.#isDocument && isOnlyScope(compound)
      const test = isFlexible ? undefined : allOf([this.#compound(compound), reached])
      if (next === undefined) return test ?? ALWAYS
      // The element after the scope may be the scope itself, as in css-select.
      reached = test === undefined ? this.#isInScope : this.#reach(next, test)
    }
    return ALWAYS
  }

  #compound(tokens: readonly Selector[]): ElementTest | undefined {
    const simple: Selector[] = []
    const tests: Array<ElementTest | undefined> = []
    for (const token of tokens) {
      const own = token.type === SelectorType.Pseudo ? this.#pseudo(token.name, token.data) : undefined
      if (own === undefined) simple.push(token)
      else tests.push(own)
    }
    // Cheap tests first.
    if (simple.length > 0) tests.unshift(_compileUnsafe([simple], this.#options))
    return allOf(tests)
  }

  /** `undefined`: css-select tests it. */
  #pseudo(name: string, data: string | Selector[][] | null): ElementTest | undefined {
    if (name === 'scope' && data === null) return this.#isScope
    const alias = data === null ? ALIASES[name] : undefined
    if (alias !== undefined) return this.#nested(parse(alias))
    if (!Array.isArray(data)) return undefined
    if (name === 'is' || name === 'where' || name === 'matches') return this.#nested(data)
    if (name === 'not') {
      const test = this.#nested(data)
      return (element) => !test(element)
    }
    if (name !== 'has') throw new Error(`Unknown pseudo-class :${name}`)
    const matchers = data.map((relative) => this.#has(relative))
    return (element) => matchers.some((matcher) => matcher.matches(element))
  }

  #has(tokens: readonly Selector[]): HasMatcher {
    const { leading, compounds } = splitAtCombinators(tokens)
    const [first] = compounds
    const isAnchored = first !== undefined && first.next !== undefined && isOnlyScope(first.tokens)
    const relative = isAnchored ? compounds.slice(1) : compounds
    const steps: RelativeStep[] = []
    let combinator = isAnchored ? first.next.type : (leading?.type ?? SelectorType.Descendant)
    for (const { tokens: compound, next } of relative) {
      steps.push({ combinator, test: this.#compound(compound) ?? ALWAYS })
      combinator = next?.type ?? SelectorType.Descendant
    }
    return new HasMatcher(this.#range, steps, this.#kind === 'html')
  }

  #isScope: ElementTest = (element) =>
    this.#isDocument ? !(element.parent instanceof ElementNode) : element === this.#range.scope

  #isInScope: ElementTest = (element) => this.#range.isInScope(element)

  /** Whether a combinator leads from an element to one that passes `test`. */
  #reach({ type }: Traversal, test: ElementTest): ElementTest {
    if (type === SelectorType.Adjacent) return (element) => passes(prevElement(element), test)
    const known = new ElementFlags(this.#range)
    const range = this.#range
    // Of the elements in a chain (parents or siblings before), each knows whether it or one further on passes.
    const stepOf = type === SelectorType.Sibling ? prevElement : parentElement
    const isOneStep = type === SelectorType.Child
    return (element) => {
      const first = stepOf(element)
      let at = first
      let verdict = NO
      for (; at !== null && range.covers(at); at = stepOf(at)) {
        verdict = known.get(at) || (test(at) ? YES : isOneStep ? NO : UNKNOWN)
        if (verdict !== UNKNOWN) break
        verdict = NO
      }
      for (let passed = first; passed !== null && range.covers(passed); passed = stepOf(passed)) {
        known.set(passed, verdict)
        if (passed === at) break
      }
      return verdict === YES
    }
  }
}

const UNKNOWN = 0
const YES = 1
const NO = 2
const ALWAYS: ElementTest = () => true

/** css-select's own, for those that need more than a look at the element. */
const ALIASES: Readonly<Record<string, string>> = {
  disabled:
    ':is(:is(button,input,select,textarea,optgroup,option)[disabled], optgroup[disabled] > option, fieldset[disabled]:not(fieldset[disabled] legend:first-of-type *))',
  enabled: ':is(button,input,select,textarea,optgroup,option,fieldset):not(:disabled)',
  checked: ':is(:is(input[type=radio],input[type=checkbox])[checked], :selected)',
  selected: 'option:is([selected], select:not([multiple]):not(:has(> option[selected])) > :first-of-type)',
}

interface Compound {
  readonly tokens: readonly Selector[]
  /** The combinator after it. */
  readonly next?: Traversal
}

function splitAtCombinators(tokens: readonly Selector[]): {
  readonly leading: Traversal | undefined
  readonly compounds: readonly Compound[]
} {
  const [first] = tokens
  const leading = first !== undefined && isCombinator(first) ? first : undefined
  const compounds: Compound[] = []
  let compound: Selector[] = []
  for (const token of leading === undefined ? tokens : tokens.slice(1)) {
    if (isCombinator(token)) {
      compounds.push({ tokens: compound, next: token })
      compound = []
    } else compound.push(token)
  }
  compounds.push({ tokens: compound })
  return { leading: leading?.type === SelectorType.Descendant ? undefined : leading, compounds }
}

export function isCombinator(token: Selector): token is Traversal {
  if (token.type === SelectorType.Parent || token.type === SelectorType.ColumnCombinator)
    throw new Error(`${token.type === SelectorType.Parent ? '<' : '||'} is not a combinator of CSS`)
  return (
    token.type === SelectorType.Descendant ||
    token.type === SelectorType.Child ||
    token.type === SelectorType.Adjacent ||
    token.type === SelectorType.Sibling
  )
}

/** Whether `:scope` is in a token, or in a selector inside it. */
export function namesScope(token: Selector): boolean {
  if (token.type !== SelectorType.Pseudo) return false
  return token.name === 'scope' || (Array.isArray(token.data) && token.data.flat().some(namesScope))
}

function isOnlyScope([first, ...others]: readonly Selector[]): boolean {
  return others.length === 0 && first?.type === SelectorType.Pseudo && first.name === 'scope'
}

function anyOf(tests: readonly ElementTest[]): ElementTest {
  const [only] = tests
  if (only !== undefined && tests.length === 1) return only
  return (element) => tests.some((test) => test(element))
}

function allOf(given: ReadonlyArray<ElementTest | undefined>): ElementTest | undefined {
  const tests = given.filter((test) => test !== undefined)
  const [first, second] = tests
  if (first === undefined || second === undefined) return first
  if (tests.length === 2) return (element) => first(element) && second(element)
  return (element) => tests.every((test) => test(element))
}

function passes(element: ElementNode | null, test: ElementTest): boolean {
  return element !== null && test(element)
}

function parentElement({ parent }: ElementNode): ElementNode | null {
  return parent instanceof ElementNode ? parent : null
}
