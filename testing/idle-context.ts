import type { CommandContext } from '../src/cli/command-context.ts'
import { Screen } from '../src/cli/screen.ts'
import { RecordingTerminal } from './recording-terminal.ts'

/** For commands that are made, but not run. */
export function idleContext(args: readonly string[] = []): CommandContext {
  return {
    terminal: new Screen(new RecordingTerminal('')),
    args: () => args,
    describeCommands: async () => [],
    exitWith() {},
    atEnd() {},
  }
}
