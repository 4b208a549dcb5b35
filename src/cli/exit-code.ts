/** What the shell is told. */
export const EXIT = {
  /** It did what was asked. */
  done: 0,
  /** There was nothing to do. */
  nothing: 1,
  /** Wrong usage or configuration; nothing was begun. */
  usage: 2,
  /** It was begun and failed. */
  failed: 3,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
