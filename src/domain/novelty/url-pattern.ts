import { hostOf } from '../url/host-of.ts'

/** Different values of a path segment or parameter after which it counts as a variable. Actions of a wiki are about 20. */
const MAX_VALUES = 32
/** Longer paths and queries are cut: their rest is one variable. */
const MAX_PARTS = 12
const MAX_VALUE_CHARS = 60

/** A place in the URLs of a host whose values are counted: a path segment or a query parameter. */
export interface UrlSlot {
  readonly slot: string
  /** `undefined`: the slot has more than `MAX_VALUES` values, or values that are numbers or hashes. */
  readonly values: ReadonlySet<string> | undefined
}

/**
 * The patterns of URLs: `example.org/wiki/*?do=diff&rev=#`. `#` is a number, `*` a value that varies. Parameters are sorted, and
 * which of them vary is learned from the URLs of the same host: a value stays as it is until its slot has many values.
 */
export class UrlPatterns {
  readonly #slots = new Map<string, Set<string> | 'varies'>()
  readonly #changed = new Set<string>()
  #widened = 0

  /** @param slots of an earlier run */
  constructor(slots: Iterable<UrlSlot> = []) {
    for (const { slot, values } of slots)
      this.#slots.set(slot, values === undefined ? 'varies' : new Set(values))
  }

  /** Number of slots that became variables: patterns from before may have to be joined with `patternOf`. */
  get widened(): number {
    return this.#widened
  }

  /** The slots that have changed since the last call. */
  takeChanged(): UrlSlot[] {
    const changed = Array.from(this.#changed, (slot) => {
      const values = this.#slots.get(slot)
      return { slot, values: values === 'varies' ? undefined : values }
    })
    this.#changed.clear()
    return changed
  }

  /** Learns from a normalised URL. */
  learn(url: string): void {
    this.#walk(url, (slot, value) => {
      const values = this.#slots.get(slot)
      if (values === 'varies' || values?.has(value) === true) return
      this.#changed.add(slot)
      if (values === undefined) this.#slots.set(slot, new Set([value]))
      else if (values.size < MAX_VALUES) values.add(value)
      else {
        this.#slots.set(slot, 'varies')
        this.#widened++
      }
    })
  }

  /** The pattern of a normalised URL, or of a pattern from before more was learned. */
  patternOf(url: string): string {
    return this.#walk(url, () => {})
  }

  #walk(url: string, found: (slot: string, value: string) => void): string {
    const { host, path, parameters } = splitUrl(url)
    let pattern = host
    const shape = (slot: string, value: string): string => {
      const general = generalValue(value)
      if (general !== undefined) return general
      found(slot, value)
      return this.#slots.get(slot) === 'varies' ? `*${extensionOf(slot, value)}` : value
    }
    for (const segment of path) pattern += `/${segment === '' ? '' : shape(`${pattern}/`, segment)}`
    const place = pattern
    for (const [i, [name, value]] of parameters.entries()) {
      pattern += `${i === 0 ? '?' : '&'}${name}`
      if (value !== undefined) pattern += `=${value === '' ? '' : shape(`${place}?${name}=`, value)}`
    }
    return pattern
  }
}

/** A parameter and its value; `undefined`: without `=`. */
export type Parameter = readonly [name: string, value: string | undefined]

/** Host with port, path segments and sorted parameters. */
export function splitUrl(url: string): {
  readonly host: string
  readonly path: readonly string[]
  readonly parameters: readonly Parameter[]
} {
  // A pattern has no scheme.
  const start = SCHEME.exec(url)?.[0].length ?? 0
  const query = url.indexOf('?', start)
  const end = query === -1 ? url.length : query
  const [host = '', ...path] = url.slice(start, end).split('/', MAX_PARTS + 1)
  return { host, path, parameters: query === -1 ? [] : parametersOf(url.slice(query + 1)) }
}

const SCHEME = /^https?:\/\//

/** `;` separates parameters, too, as gitweb and bugzilla have it. */
function parametersOf(query: string): Parameter[] {
  const found: Parameter[] = []
  for (const part of query.split(/[&;]/, MAX_PARTS)) {
    if (part === '') continue
    const equals = part.indexOf('=')
    found.push(equals === -1 ? [part, undefined] : [part.slice(0, equals), part.slice(equals + 1)])
  }
  return found.sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
}

/** `#` for a number and `*` for a hash, an id of random letters and digits, or a long text; `undefined` for a word. */
function generalValue(value: string): string | undefined {
  if (value === '*' || value === '#') return value
  if (NUMBER.test(value)) return '#'
  if (value.length > MAX_VALUE_CHARS || HASH.test(value)) return '*'
  return undefined
}

/** Numbers and dates. */
const NUMBER = /^[+-]?\d[\d.,:-]*$/
/** Hexadecimal digits with at least one digit: commits, UUIDs. */
const HASH = /^(?=[a-f-]*\d)[0-9a-f-]{7,}$/i

/** `.html` of a path segment that varies. */
function extensionOf(slot: string, value: string): string {
  if (slot.endsWith('=')) return ''
  return EXTENSION.exec(value)?.[0] ?? ''
}

const EXTENSION = /\.[a-z][a-z0-9]{1,4}$/i

/** The host of a pattern, without the port, as `hostOf` of its URLs. */
export function patternHost(pattern: string): string {
  return hostOf(`http://${pattern}`)
}
