import { Command, CommanderError } from 'commander'
import { ConfigurationError, CrawlError } from '../base/crawl-error.ts'
import { COMMANDS } from './commands.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { packageVersion } from './package-version.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** The entry of `bin/orbweaver.js`. */
export async function main(args: readonly string[]): Promise<void> {
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
    .exitOverride()
    .showSuggestionAfterError()
  for (const { name, summary, load } of COMMANDS) {
    const isCalled = args.includes(name)
    const command = isCalled ? (await load())({ terminal, exitWith }) : new Command(name)
    // A command answers in the same way as the program.
    program.addCommand(command.summary(summary).copyInheritedSettings(program))
  }
  try {
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    return reportError(error, terminal)
  }
}

function reportError(error: unknown, terminal: Terminal): ExitCode {
  // Commander has printed its own line already; help and version end here too, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  // A code of ours: the message is for people, and says all there is to say.
  if (error instanceof CrawlError) {
    terminal.err(`error: ${error.message}\n`)
    return error instanceof ConfigurationError ? EXIT.usage : EXIT.failed
  }
  terminal.err(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return EXIT.failed
}
