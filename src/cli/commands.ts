import type { MakeCommand } from './command-context.ts'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** Late, so that `--help` does not wait for a database and an HTTP client to load. */
  load(): Promise<MakeCommand>
}

/** Every command, in the order of the help: first what most people need, then the steps of the cycle, then what looks at a crawl. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'check',
    summary: 'show what the crawler thinks of a URL',
    load: async () => (await import('./check-command.ts')).checkCommand,
  },
]
