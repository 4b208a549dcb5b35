/** One request that came to the demo web. */
export interface DemoHit {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly url: string
  readonly method: string
  readonly status: number
  /** `''`: none was sent. */
  readonly userAgent: string
  /** Whether the client asked only for what had changed. */
  readonly conditional: boolean
}
