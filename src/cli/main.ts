import { Command, CommanderError, Help, Option } from 'commander'
import { ConfigurationError, CrawlError } from '../base/crawl-error.ts'
import { printableLine } from '../base/format-values.ts'
import { packageVersion } from '../base/package-version.ts'
import { arrangeArguments } from './arrange-arguments.ts'
import { type CommandContext, EXIT, type ExitCode } from './command-context.ts'
import { COMMAND_GROUPS } from './commands.ts'
import { exitCodeOf } from './exit-code.ts'
import { failureText, firstError } from './failure-text.ts'
import { JsonTerminal } from './json-terminal.ts'
import { limitHeapGrowth } from './limit-heap-growth.ts'
import { optionDescription } from './option-description.ts'
import { Screen } from './screen.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** Runs a command line in this process. */
export async function main(args: readonly string[]): Promise<void> {
  setTimeout(limitHeapGrowth, LOADED_MS).unref()
  process.exitCode = await run(args, processTerminal())
}

/** When a command has loaded its modules, and its heap is still small. */
const LOADED_MS = 1_000

const START = `
Start here:
  orbweaver demo                                         crawl demo sites
  orbweaver crawl my-crawl https://example.org/ --index  crawl and index a site
  orbweaver serve my-crawl                               search it in a browser

Run "orbweaver help <command>" for the options and examples of a command.`

/**
 * Runs one command line. It never throws: an error is printed to `err` and sets the exit code. With `--json` the error is also the one
 * document on standard output: `{"error":{"code":…,"message":…}}`.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  if (!asksForJson(args)) return (await runCommand(args, terminal)).exitCode
  const json = new JsonTerminal(terminal)
  const { exitCode, error } = await runCommand(args, json)
  json.end(error)
  return exitCode
}

/** Read from the arguments as they are: when they cannot be parsed, the error is a document, too. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? args.length : end).includes('--json')
}

interface CommandEnd {
  readonly exitCode: ExitCode
  readonly error?: { readonly code: string; readonly message: string }
}

async function runCommand(args: readonly string[], terminal: Terminal): Promise<CommandEnd> {
  let exitCode: ExitCode = EXIT.done
  const screen = new Screen(terminal)
  const endings: Array<(end: CommandEnd) => Promise<void>> = []
  const atEnd = (call: (end: CommandEnd) => Promise<void>): void => void endings.push(call)
  const ended = async (end: CommandEnd): Promise<CommandEnd> => {
    screen.close()
    for (const call of endings) await call(end)
    return end
  }
  const exitWith = (code: ExitCode): void => {
    exitCode = code
  }
  const program = new Command('orbweaver')
    .description('A polite web crawler.')
    .usage('<command> [options]')
    .version(packageVersion(), '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show this help')
    .addHelpText('after', START)
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      getOutHelpWidth: () => terminal.columns ?? 100,
    })
    .configureHelp({
      optionDescription,
      visibleCommands,
      groupItems,
      subcommandTerm: (command) => command.name(),
    })
    .exitOverride()
    .showSuggestionAfterError()
    .hook('preAction', (_, action) => checkDirectoryName(action))
    .hook('preAction', (_, action) => screen.setQuiet(action.opts()['quiet'] === true))
  let arranged = args
  const context: CommandContext = {
    terminal: screen,
    args: () => arranged.slice(1),
    describeCommands: async () => (await import('./describe-commands.ts')).describeCommands(context),
    exitWith,
    atEnd,
  }
  const [name, ...rest] = args[0] === 'help' ? args.slice(1) : args
  for (const { heading, commands } of COMMAND_GROUPS) {
    for (const entry of commands) {
      const isCalled = entry.name === name
      const command = isCalled ? (await entry.load())(context) : new Command(entry.name)
      if (command.description() === '') command.description(entry.summary)
      command.summary(entry.summary).helpGroup(heading).copyInheritedSettings(program)
      program.addCommand(command.addHelpOption(HELP_OPTION))
    }
  }
  const called = args[0] === 'help' ? undefined : program.commands.find((command) => command.name() === name)
  if (called !== undefined) arranged = [called.name(), ...arrangeArguments(called, rest)]
  try {
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(arranged, { from: 'user' })
    return await ended({ exitCode })
  } catch (error) {
    return ended(reportError(firstError(error), screen))
  }
}

const HELP_OPTION = new Option('-h, --help', 'Show this help').helpGroup('General:')

/** An unset variable of a shell becomes an empty argument, which would mean the current directory; a URL means that it was forgotten. */
function checkDirectoryName(action: Command): void {
  const position = action.registeredArguments.findIndex((argument) => argument.name() === 'dir')
  const argument: unknown = action.processedArgs[position]
  const option: unknown = action.opts()['dir']
  if (argument === '' || option === '')
    throw new ConfigurationError('OPTION_INVALID', 'the name of the crawl directory is empty: give its path')
  if (isUrl(argument))
    throw new ConfigurationError(
      'OPTION_INVALID',
      `the crawl directory is missing: put one before the URL, as in orbweaver ${action.name()} my-crawl ${printableLine(argument)}`,
    )
  if (isUrl(option))
    throw new ConfigurationError(
      'OPTION_INVALID',
      `--dir ${printableLine(option)} is a URL: give a directory`,
    )
}

function isUrl(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
}

const plainHelp = new Help()

/** The groups of options that many commands have come last, in this order. */
const LAST_GROUPS = ['Monitoring:', 'Log:', 'Notifications:', 'General:']

function groupItems<T extends Command | Option>(
  items: T[],
  visible: T[],
  headingOf: (item: T) => string,
): Map<string, T[]> {
  const groups = plainHelp.groupItems(items, visible, headingOf)
  for (const heading of LAST_GROUPS) {
    const group = groups.get(heading)
    if (group === undefined) continue
    groups.delete(heading)
    groups.set(heading, group)
  }
  return groups
}

/** Without `help`, which the last line explains. */
function visibleCommands(program: Command): Command[] {
  return plainHelp.visibleCommands(program).filter((command) => command.name() !== 'help')
}

/** Prints `error: <message>`. */
function reportError(error: unknown, screen: Screen): CommandEnd {
  const isCommander = error instanceof CommanderError
  // Help and version end here, too.
  if (isCommander && error.exitCode === 0) return { exitCode: EXIT.done }
  // Commander has printed its message.
  const message = isCommander ? error.message.replace(/^error: /, '') : failureText(error)
  const code = codeOf(error)
  if (!isCommander) screen.fail(code, message)
  return { exitCode: exitCodeOf(error), error: { code, message } }
}

/** A code of ours, or of the system, such as `ENOSPC`. */
function codeOf(error: unknown): string {
  if (error instanceof CommanderError) return 'OPTION_INVALID'
  if (error instanceof CrawlError) return error.code
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return code ?? 'UNEXPECTED'
}
