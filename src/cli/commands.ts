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
    name: 'demo',
    summary: 'crawl a small built-in web and see what came of it',
    load: async () => (await import('./demo-command.ts')).demoCommand,
  },
  {
    name: 'check',
    summary: 'show what the crawler thinks of a URL',
    load: async () => (await import('./check-command.ts')).checkCommand,
  },
  {
    name: 'crawl',
    summary: 'crawl from seeds, round by round, until nothing is due',
    load: async () => (await import('./crawl-command.ts')).crawlCommand,
  },
  {
    name: 'serve',
    summary: 'open a page to search a crawl and look at it',
    load: async () => (await import('./serve-command.ts')).serveCommand,
  },
  {
    name: 'search',
    summary: 'search the pages of a crawl',
    load: async () => (await import('./search-command.ts')).searchCommand,
  },
  {
    name: 'run',
    summary: 'run a spider, and get its items',
    load: async () => (await import('./run-command.ts')).runCommand,
  },
  {
    name: 'failed',
    summary: 'show the requests of a spider that failed, or put them back in line',
    load: async () => (await import('./failed-command.ts')).failedCommand,
  },
  {
    name: 'items',
    summary: "write the items of a spider's crawl again, in any format",
    load: async () => (await import('./items-command.ts')).itemsCommand,
  },
  {
    name: 'push',
    summary: 'add start URLs to the crawl of a fleet',
    load: async () => (await import('./push-command.ts')).pushCommand,
  },
  {
    name: 'status',
    summary: 'show how far the crawl of a fleet is, and who works on it',
    load: async () => (await import('./status-command.ts')).statusCommand,
  },
  {
    name: 'pause',
    summary: 'let the workers of a fleet wait',
    load: async () => (await import('./control-command.ts')).pauseCommand,
  },
  {
    name: 'resume',
    summary: 'let the crawl of a fleet go on that was paused or drained',
    load: async () => (await import('./control-command.ts')).resumeCommand,
  },
  {
    name: 'drain',
    summary: 'let the workers of a fleet end',
    load: async () => (await import('./control-command.ts')).drainCommand,
  },
  {
    name: 'clear',
    summary: 'remove the crawl of a fleet from Redis',
    load: async () => (await import('./clear-command.ts')).clearCommand,
  },
  {
    name: 'forget',
    summary: 'make URLs new again for the crawl of a fleet',
    load: async () => (await import('./forget-command.ts')).forgetCommand,
  },
  {
    name: 'import-scrapy-redis',
    summary: 'take over a crawl of scrapy-redis',
    load: async () => (await import('./import-scrapy-redis-command.ts')).importScrapyRedisCommand,
  },
  {
    name: 'new',
    summary: 'write a spider to begin with',
    load: async () => (await import('./new-command.ts')).newCommand,
  },
  {
    name: 'shell',
    summary: 'look at a page from a prompt, with selectors at hand',
    load: async () => (await import('./shell-command.ts')).shellCommand,
  },
  {
    name: 'inject',
    summary: 'add seeds',
    load: async () => (await import('./inject-command.ts')).injectCommand,
  },
  {
    name: 'generate',
    summary: 'make a fetch list of what is due',
    load: async () => (await import('./generate-command.ts')).generateCommand,
  },
  {
    name: 'fetch',
    summary: 'fetch the pages of a fetch list',
    load: async () => (await import('./fetch-command.ts')).fetchCommand,
  },
  {
    name: 'worker',
    summary: 'fetch with the fleet of a crawl directory',
    load: async () => (await import('./worker-command.ts')).workerCommand,
  },
  {
    name: 'parse',
    summary: 'parse pages that were fetched with --no-parse',
    load: async () => (await import('./parse-command.ts')).parseCommand,
  },
  {
    name: 'updatedb',
    summary: 'fold what was fetched and found back in',
    load: async () => (await import('./updatedb-command.ts')).updatedbCommand,
  },
  {
    name: 'dedup',
    summary: 'mark pages with the same content',
    load: async () => (await import('./dedup-command.ts')).dedupCommand,
  },
  {
    name: 'index',
    summary: 'bring a search index up to date',
    load: async () => (await import('./index-command.ts')).indexCommand,
  },
  {
    name: 'clean',
    summary: 'take out of a search index, or name, what it must not hold',
    load: async () => (await import('./clean-command.ts')).cleanCommand,
  },
  {
    name: 'invertlinks',
    summary: 'gather who links to a page',
    load: async () => (await import('./invertlinks-command.ts')).invertlinksCommand,
  },
  {
    name: 'mergesegs',
    summary: 'make one segment of several',
    load: async () => (await import('./mergesegs-command.ts')).mergesegsCommand,
  },
  {
    name: 'doctor',
    summary: 'check a crawl for damaged files, and repair it',
    load: async () => (await import('./doctor-command.ts')).doctorCommand,
  },
  {
    name: 'readdb',
    summary: 'show what is in the CrawlDb',
    load: async () => (await import('./readdb-command.ts')).readdbCommand,
  },
  {
    name: 'readseg',
    summary: 'show what is in the segments',
    load: async () => (await import('./readseg-command.ts')).readsegCommand,
  },
  {
    name: 'readlinkdb',
    summary: 'show which pages link to a URL',
    load: async () => (await import('./readlinkdb-command.ts')).readlinkdbCommand,
  },
  {
    name: 'explain',
    summary: 'tell all that is known about a URL',
    load: async () => (await import('./explain-command.ts')).explainCommand,
  },
  {
    name: 'export',
    summary: 'write the pages for other programs',
    load: async () => (await import('./export-command.ts')).exportCommand,
  },
]
