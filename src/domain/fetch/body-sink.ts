import type { HttpResponse } from './fetch-outcome.ts'

/**
 * Receives the body of a successful response piece by piece, as sent, instead of the outcome: for files that do not fit into memory. The
 * outcome then has an empty body with its `wireBytes`.
 */
export interface BodySink {
  /** Called once, with the head of a success. `false`: its body is not wanted, and the connection is closed. */
  open(response: Pick<HttpResponse, 'status' | 'headers'>): boolean
  /**
   * Takes a piece; its memory is valid during the call only. A promise: no more is read from the connection until it is fulfilled.
   * `false`: no more is wanted. Must neither throw nor reject.
   */
  write(piece: Uint8Array): boolean | Promise<void>
}
