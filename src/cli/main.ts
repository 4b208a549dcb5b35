import { Command, CommanderError } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { checkCommand } from './check-command.ts'
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
  // `copyInheritedSettings`: a command answers in the same way as the program.
  for (const command of [checkCommand(terminal)]) program.addCommand(command.copyInheritedSettings(program))

  try {
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    exitCode = reportError(error, terminal)
  }
  return exitCode
}

function reportError(error: unknown, terminal: Terminal): ExitCode {
  // Commander has printed its own line already; help and version end here too, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (error instanceof ConfigurationError) {
    terminal.err(`error: ${error.message}\n`)
    return EXIT.usage
  }
  terminal.err(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return EXIT.failed
}
