import type { Command } from 'commander'
import type { CommandOutcome } from '../wiring/run-notifier.ts'
import type { DescribedCommand } from './described-command.ts'
import type { Screen } from './screen.ts'

/** The environment of a command. */
export interface CommandContext {
  readonly terminal: Screen
  /** The arguments of the command, as Commander parses them. */
  args(): readonly string[]
  /** All commands, from their definitions. Loads the files of all of them. */
  describeCommands(): Promise<readonly DescribedCommand[]>
  /** Sets the exit code of a command that does not throw. @default 0 */
  exitWith(code: ExitCode): void
  /** Calls `call` when the command has ended, also after an error. The process waits for it. */
  atEnd(call: (outcome: CommandOutcome) => Promise<void>): void
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
