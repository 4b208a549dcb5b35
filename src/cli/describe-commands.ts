import type { EventEmitter } from 'node:events'
import type { Argument, Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { COMMAND_GROUPS, type CommandEntry } from './commands.ts'
import type {
  CompletedValues,
  DescribedArgument,
  DescribedCommand,
  DescribedOption,
} from './described-command.ts'
import { optionDescription } from './option-description.ts'

/** All commands in the order of the help, from their definitions. Loads the files of all of them. */
export async function describeCommands(context: CommandContext): Promise<DescribedCommand[]> {
  const described: DescribedCommand[] = []
  for (const { heading, commands } of COMMAND_GROUPS)
    for (const entry of commands)
      described.push(describe(entry, withoutColon(heading), (await entry.load())(context)))
  return described
}

function describe(entry: CommandEntry, group: string, command: Command): DescribedCommand {
  return {
    name: entry.name,
    group,
    summary: entry.summary,
    description: command.description() || entry.summary,
    arguments: command.registeredArguments.map(describeArgument),
    options: [...command.options.filter(({ hidden }) => !hidden).map(describeOption), HELP_OPTION],
    notes: notesOf(command),
  }
}

/** Of every command. */
const HELP_OPTION: DescribedOption = {
  long: '--help',
  short: '-h',
  placeholder: undefined,
  values: 'none',
  description: 'Show this help',
  group: 'General',
}

function describeArgument(argument: Argument): DescribedArgument {
  return {
    name: argument.name(),
    isRequired: argument.required,
    isVariadic: argument.variadic,
    values: argument.argChoices ?? valuesNamed(argument.name()),
  }
}

function describeOption(option: Option): DescribedOption {
  const [, placeholder] = /[ =]([<[].+)$/.exec(option.flags) ?? []
  return {
    long: option.long ?? '',
    short: option.short,
    placeholder,
    values: option.argChoices ?? valuesNamed(placeholder ?? ''),
    description: optionDescription(option),
    group: withoutColon(option.helpGroupHeading ?? ''),
  }
}

const DIRECTORIES = ['crawl', 'dir', 'dirs', 'folder', 'others', 'place']
const FILES = ['file', 'seeds', 'target', 'urls']

/** By the name of an argument or a placeholder. */
function valuesNamed(name: string): CompletedValues {
  const word = name.replaceAll(/[^a-z]/g, '')
  if (DIRECTORIES.includes(word)) return 'directories'
  return FILES.includes(word) ? 'files' : 'none'
}

/** Commander adds this text by an event, which its types do not declare. */
function notesOf(command: Command): string {
  let notes = ''
  ;(command as unknown as EventEmitter).emit('afterHelp', {
    error: false,
    command,
    write: (text: string) => {
      notes += text
    },
  })
  return notes.trim()
}

function withoutColon(heading: string): string {
  return heading.replace(/:$/, '')
}
