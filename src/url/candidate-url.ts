import { hostOf } from './host-of.ts'

export interface CandidateOrigin {
  /** Links from a seed to here; a seed has 0. Absent when nobody counted. */
  readonly depth?: number
  /** The page that the link was on. Absent for a seed. */
  readonly from?: string
}

/** A normalised URL on its way through the filters. Its parts are cut out once, when the first filter asks. */
export class CandidateUrl {
  readonly url: string
  readonly depth: number | undefined
  readonly from: string | undefined
  #host: string | undefined
  #queryAt: number | undefined
  #path: string | undefined

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

  /** From the first `/` to before the `?`. */
  get path(): string {
    this.#path ??= this.url.slice(this.url.indexOf('/', this.url.indexOf('//') + 2), this.#queryStart())
    return this.#path
  }

  /** Without the `?`; empty when there is none. */
  get query(): string {
    return this.url.slice(this.#queryStart() + 1)
  }

  /** Where the `?` is, or would be. */
  #queryStart(): number {
    if (this.#queryAt === undefined) {
      const at = this.url.indexOf('?')
      this.#queryAt = at === -1 ? this.url.length : at
    }
    return this.#queryAt
  }
}
