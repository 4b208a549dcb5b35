import type { Command } from 'commander'
import type { ExitCode } from './exit-code.ts'
import type { Terminal } from './terminal.ts'

/** What a command is given. */
export interface CommandContext {
  readonly terminal: Terminal
  /** What the shell is told when the command ends well; 0 unless it is called. */
  exitWith(code: ExitCode): void
}

/** Makes a command. Its file is loaded only when it is called. */
export type MakeCommand = (context: CommandContext) => Command
