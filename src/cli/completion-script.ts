import { bashCompletion } from './bash-completion.ts'
import type { DescribedCommand } from './described-command.ts'
import { fishCompletion } from './fish-completion.ts'
import { zshCompletion } from './zsh-completion.ts'

const WRITERS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

/** A script that completes command lines of `orbweaver`. */
export function completionScript(shell: keyof typeof WRITERS, commands: readonly DescribedCommand[]): string {
  const names = commands.map(({ name }) => name)
  // Commander has it without a definition.
  const help: DescribedCommand = {
    name: 'help',
    group: '',
    summary: 'Show the help of a command',
    description: '',
    arguments: [{ name: 'command', isRequired: false, isVariadic: false, values: names }],
    options: [],
    notes: '',
  }
  return WRITERS[shell]([...commands, help])
}
