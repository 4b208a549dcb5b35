/** One request as a server saw it. Times are the judge's own clock, in ms. */
export interface Hit {
  /** The name in the Host header, without the port. */
  readonly host: string
  /** The address of the server. */
  readonly address: string
  /** Path and query. */
  readonly path: string
  readonly method: string
  readonly userAgent: string
  /** When the request head was in. */
  readonly start: number
  /** When the last byte was about to be sent; `undefined` while the response is in progress. */
  end: number | undefined
  /** 0 if no valid response was sent. */
  status: number
  /** The client hung up before the server was done: `end` is when the server noticed. */
  brokenOff: boolean
  /** Retry-After of the response, counted from `end`; 0 if there was none. */
  waitMs: number
}

/** Starts and ends in the order in which they happened: two of them may have the same time. */
export interface HitEvent {
  readonly kind: 'start' | 'end'
  readonly at: number
  readonly hit: Hit
}
