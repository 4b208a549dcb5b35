import { hostOf } from './host-of.ts'

/** Where a URL was found. */
export interface CandidateOrigin {
  /** Links from a seed to here; a seed has 0. Absent if not known. */
  readonly depth?: number
  /** The page that the link was on. Absent for a seed. */
  readonly from?: string
}

/**
 * A normalised URL for the filters. Its parts are cut out once, when first used.
 * @example
 * const url = new CandidateUrl('https://example.org:8443/list?page=2', { depth: 3 })
 * url.host // → 'example.org'
 * url.path // → '/list'
 */
export class CandidateUrl {
  readonly url: string
  readonly depth: number | undefined
  readonly from: string | undefined
  #host: string | undefined
  #pathAndQuery: string | undefined

  constructor(url: string, { depth, from }: CandidateOrigin = {}) {
    this.url = url
    this.depth = depth
    this.from = from
  }

  /** Without the port. */
  get host(): string {
    this.#host ??= hostOf(this.url)
    return this.#host
  }

  /** From the first `/` on. */
  get pathAndQuery(): string {
    this.#pathAndQuery ??= this.url.slice(this.url.indexOf('/', this.url.indexOf('//') + 2))
    return this.#pathAndQuery
  }

  /** From the first `/` to before the `?`. */
  get path(): string {
    const at = this.pathAndQuery.indexOf('?')
    return at === -1 ? this.pathAndQuery : this.pathAndQuery.slice(0, at)
  }

  /** Without the `?`; empty when there is none. */
  get query(): string {
    const at = this.pathAndQuery.indexOf('?')
    return at === -1 ? '' : this.pathAndQuery.slice(at + 1)
  }
}
