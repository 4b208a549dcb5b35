import type { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** The environment of a command. */
export interface CommandContext {
  readonly terminal: Terminal
  /** Sets the exit code of a command that does not throw. @default 0 */
  exitWith(code: ExitCode): void
}

/** Creates a command. Its file is loaded only if it is called. */
export type MakeCommand = (context: CommandContext) => Command

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
