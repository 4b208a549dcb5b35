import { Command, CommanderError, Help, type Option } from 'commander'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { packageVersion } from '../base/package-version.ts'
import { COMMANDS } from './commands.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { failureText } from './failure-text.ts'
import { keepHeapSmall } from './keep-heap-small.ts'
import { bareOptionsLast } from './optional-value.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** The entry of `bin/orbweaver.js`. */
export async function main(args: readonly string[]): Promise<void> {
  keepHeapSmall()
  process.exitCode = await run(args, processTerminal())
}

/** Runs one command line to its end. It never throws; trouble is a line on `err` and the exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.done
  const exitWith = (code: ExitCode): void => {
    exitCode = code
  }
  const program = new Command('orbweaver')
    .description('A polite web crawler.')
    .version(packageVersion())
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      getOutHelpWidth: () => terminal.columns ?? 100,
    })
    .configureHelp({ optionDescription })
    .exitOverride()
    .showSuggestionAfterError()
    .hook('preAction', (_, action) => refuseEmptyDirectory(action))
  for (const { name, summary, load } of COMMANDS) {
    const isCalled = args.includes(name)
    const command = isCalled ? (await load())({ terminal, exitWith }) : new Command(name)
    // A command answers in the same way as the program.
    program.addCommand(command.summary(summary).copyInheritedSettings(program))
  }
  const called = program.commands.find((command) => command.name() === args[0])
  const words = called === undefined ? args : [called.name(), ...bareOptionsLast(called, args.slice(1))]
  try {
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    return reportError(error, terminal)
  }
}

/** An empty name is what a shell makes of a variable that is not set. It would stand for the current directory. */
function refuseEmptyDirectory(action: Command): void {
  const position = action.registeredArguments.findIndex((argument) => argument.name() === 'dir')
  if (action.processedArgs[position] === '' || action.opts()['dir'] === '')
    throw new ConfigurationError('OPTION_INVALID', 'the name of the crawl directory is empty: give its path')
}

const plainHelp = new Help()

/** A flag that is not given is off: that need not be said. */
function optionDescription(option: Option): string {
  return plainHelp.optionDescription(option).replace(' (default: false)', '')
}

function reportError(error: unknown, terminal: Terminal): ExitCode {
  // Commander has printed its own line already; help and version end here too, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  terminal.err(`error: ${failureText(error)}\n`)
  const isUsage = error instanceof ConfigurationError || error instanceof CrawlDirectoryMissing
  return isUsage ? EXIT.usage : EXIT.failed
}
