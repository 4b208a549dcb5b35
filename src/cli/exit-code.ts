/** Exit codes of the process. */
export const EXIT = {
  /** Success. */
  done: 0,
  /** There was nothing to do. */
  nothing: 1,
  /** Usage or configuration error; nothing was started. */
  usage: 2,
  /** Failure after the start. */
  failed: 3,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
