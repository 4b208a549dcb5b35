import type { MakeCommand } from './command-context.ts'

export interface CommandEntry {
  readonly name: string
  /** One line of at most 57 characters for `orbweaver --help`, and the description of a command without a longer one. */
  readonly summary: string
  /** Imports the file of the command. `--help` does not call it, because a database and an HTTP client take time to load. */
  load(): Promise<MakeCommand>
}

export interface CommandGroup {
  readonly heading: string
  readonly commands: readonly CommandEntry[]
}

/** All commands, in the order of the help. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    heading: 'Crawl:',
    commands: [
      {
        name: 'demo',
        summary: 'Crawl six built-in demo sites on this machine',
        load: async () => (await import('./demo-command.ts')).demoCommand,
      },
      {
        name: 'crawl',
        summary: 'Crawl from seeds, round by round, until no URL is due',
        load: async () => (await import('./crawl-command.ts')).crawlCommand,
      },
    ],
  },
  {
    heading: 'A running crawl, in a directory or in Redis:',
    commands: [
      {
        name: 'status',
        summary: 'Show the progress, failures and workers of a crawl',
        load: async () => (await import('./status-command.ts')).statusCommand,
      },
      {
        name: 'pause',
        summary: 'Pause a crawl, or all workers of a crawl in Redis',
        load: async () => (await import('./control-command.ts')).pauseCommand,
      },
      {
        name: 'resume',
        summary: 'Resume a paused or drained crawl',
        load: async () => (await import('./control-command.ts')).resumeCommand,
      },
      {
        name: 'stop',
        summary: 'Stop the crawl of a directory, as Ctrl-C does',
        load: async () => (await import('./stop-command.ts')).stopCommand,
      },
    ],
  },
  {
    heading: 'Crawl, step by step:',
    commands: [
      {
        name: 'inject',
        summary: 'Add seed URLs to a crawl',
        load: async () => (await import('./inject-command.ts')).injectCommand,
      },
      {
        name: 'generate',
        summary: 'Create a fetch list (segment) of due URLs',
        load: async () => (await import('./generate-command.ts')).generateCommand,
      },
      {
        name: 'freegen',
        summary: 'Create a segment from a list of URLs',
        load: async () => (await import('./freegen-command.ts')).freegenCommand,
      },
      {
        name: 'fetch',
        summary: 'Fetch the pages of a segment',
        load: async () => (await import('./fetch-command.ts')).fetchCommand,
      },
      {
        name: 'parse',
        summary: 'Parse pages that were fetched with --no-parse',
        load: async () => (await import('./parse-command.ts')).parseCommand,
      },
      {
        name: 'updatedb',
        summary: 'Update the CrawlDb with fetched pages and their links',
        load: async () => (await import('./updatedb-command.ts')).updatedbCommand,
      },
      {
        name: 'updatehostdb',
        summary: 'Update the HostDb: percentiles, name checks, dead hosts',
        load: async () => (await import('./updatehostdb-command.ts')).updatehostdbCommand,
      },
      {
        name: 'invertlinks',
        summary: 'Build the inverted link index (inlinks and anchor text)',
        load: async () => (await import('./invertlinks-command.ts')).invertlinksCommand,
      },
      {
        name: 'webgraph',
        summary: 'Build the graph of links between pages',
        load: async () => (await import('./webgraph-command.ts')).webgraphCommand,
      },
      {
        name: 'linkrank',
        summary: 'Rank pages or hosts by the links to them',
        load: async () => (await import('./linkrank-command.ts')).linkrankCommand,
      },
      {
        name: 'dedup',
        summary: 'Mark pages with the same content as duplicates',
        load: async () => (await import('./dedup-command.ts')).dedupCommand,
      },
      {
        name: 'mergedb',
        summary: 'Add the records of other crawls to a CrawlDb',
        load: async () => (await import('./merge-crawls-command.ts')).mergeDbCommand,
      },
      {
        name: 'mergelinkdb',
        summary: 'Add the inverted links of other crawls',
        load: async () => (await import('./merge-crawls-command.ts')).mergeLinkDbCommand,
      },
      {
        name: 'novelty',
        summary: 'List or release URL patterns that bring nothing new',
        load: async () => (await import('./novelty-command.ts')).noveltyCommand,
      },
      {
        name: 'mergesegs',
        summary: 'Merge segments into one',
        load: async () => (await import('./mergesegs-command.ts')).mergesegsCommand,
      },
      {
        name: 'db',
        summary: 'Convert the CrawlDb to another engine (DuckDB, Spark)',
        load: async () => (await import('./db-command.ts')).dbCommand,
      },
    ],
  },
  {
    heading: 'Spiders:',
    commands: [
      {
        name: 'new',
        summary: 'Create a spider file from a template',
        load: async () => (await import('./new-command.ts')).newCommand,
      },
      {
        name: 'run',
        summary: 'Run a spider and save its items',
        load: async () => (await import('./run-command.ts')).runCommand,
      },
      {
        name: 'shell',
        summary: 'Try selectors on a page at an interactive prompt',
        load: async () => (await import('./shell-command.ts')).shellCommand,
      },
      {
        name: 'failed',
        summary: 'List or retry the failed requests of a spider',
        load: async () => (await import('./failed-command.ts')).failedCommand,
      },
    ],
  },
  {
    heading: 'Fleet (several workers, one Redis):',
    commands: [
      {
        name: 'worker',
        summary: 'Fetch for a crawl directory as one of its workers',
        load: async () => (await import('./worker-command.ts')).workerCommand,
      },
      {
        name: 'push',
        summary: 'Add start URLs to a crawl',
        load: async () => (await import('./push-command.ts')).pushCommand,
      },
      {
        name: 'drain',
        summary: 'Stop all workers of a crawl after their current requests',
        load: async () => (await import('./control-command.ts')).drainCommand,
      },
      {
        name: 'forget',
        summary: 'Remove URLs from the seen set, to fetch them again',
        load: async () => (await import('./forget-command.ts')).forgetCommand,
      },
      {
        name: 'clear',
        summary: 'Delete a crawl from Redis',
        load: async () => (await import('./clear-command.ts')).clearCommand,
      },
      {
        name: 'import-scrapy-redis',
        summary: 'Import the pending requests of a scrapy-redis spider',
        load: async () => (await import('./import-scrapy-redis-command.ts')).importScrapyRedisCommand,
      },
    ],
  },
  {
    heading: 'Search:',
    commands: [
      {
        name: 'index',
        summary: 'Update a search index (SQLite, Solr, Elasticsearch, …)',
        load: async () => (await import('./index-command.ts')).indexCommand,
      },
      {
        name: 'search',
        summary: 'Search the pages of a crawl',
        load: async () => (await import('./search-command.ts')).searchCommand,
      },
      {
        name: 'mcp',
        summary: 'Serve a crawl to language models (MCP)',
        load: async () => (await import('./mcp-command.ts')).mcpCommand,
      },
      {
        name: 'serve',
        summary: 'Serve a web page to search and inspect a crawl',
        load: async () => (await import('./serve-command.ts')).serveCommand,
      },
      {
        name: 'clean',
        summary: 'Delete gone and duplicate pages from a search index',
        load: async () => (await import('./clean-command.ts')).cleanCommand,
      },
    ],
  },
  {
    heading: 'Inspect:',
    commands: [
      {
        name: 'check',
        summary: 'Fetch one URL and show the result of each step',
        load: async () => (await import('./check-command.ts')).checkCommand,
      },
      {
        name: 'explain',
        summary: 'Show everything a crawl knows about a URL',
        load: async () => (await import('./explain-command.ts')).explainCommand,
      },
      {
        name: 'readdb',
        summary: 'Show the CrawlDb: statistics, records, top URLs',
        load: async () => (await import('./readdb-command.ts')).readdbCommand,
      },
      {
        name: 'readseg',
        summary: 'Show segments and their pages',
        load: async () => (await import('./readseg-command.ts')).readsegCommand,
      },
      {
        name: 'readlinkdb',
        summary: 'Show the inlinks of a URL',
        load: async () => (await import('./readlinkdb-command.ts')).readlinkdbCommand,
      },
      {
        name: 'readhostdb',
        summary: 'Show the HostDb: failures, response times, robots.txt',
        load: async () => (await import('./readhostdb-command.ts')).readhostdbCommand,
      },
      {
        name: 'nodes',
        summary: 'List the top pages, hosts or domains of the web graph',
        load: async () => (await import('./nodes-command.ts')).nodesCommand,
      },
      {
        name: 'domainstats',
        summary: 'Count fetched pages by host, domain, suffix or TLD',
        load: async () => (await import('./domainstats-command.ts')).domainstatsCommand,
      },
      {
        name: 'crawlcomplete',
        summary: 'Show how much of each host or domain was crawled',
        load: async () => (await import('./crawlcomplete-command.ts')).crawlcompleteCommand,
      },
      {
        name: 'protocolstats',
        summary: 'Count URLs by protocol status and protocol version',
        load: async () => (await import('./protocolstats-command.ts')).protocolstatsCommand,
      },
      {
        name: 'certify',
        summary: 'Check the requests of a crawl against robots.txt and delays',
        load: async () => (await import('./certify-command.ts')).certifyCommand,
      },
      {
        name: 'showproperties',
        summary: 'Show the effective settings and their sources',
        load: async () => (await import('./showproperties-command.ts')).showPropertiesCommand,
      },
      {
        name: 'doctor',
        summary: 'Find and repair damaged files of a crawl',
        load: async () => (await import('./doctor-command.ts')).doctorCommand,
      },
    ],
  },
  {
    heading: 'Export:',
    commands: [
      {
        name: 'export',
        summary: 'Export the pages of a crawl (JSON Lines, Parquet, WARC)',
        load: async () => (await import('./export-command.ts')).exportCommand,
      },
      {
        name: 'items',
        summary: 'Export the items of a spider in any format',
        load: async () => (await import('./items-command.ts')).itemsCommand,
      },
    ],
  },
  {
    heading: 'Shell:',
    commands: [
      {
        name: 'completion',
        summary: 'Print the completion script for bash, zsh or fish',
        load: async () => (await import('./completion-command.ts')).completionCommand,
      },
    ],
  },
]

export const COMMANDS: readonly CommandEntry[] = COMMAND_GROUPS.flatMap(({ commands }) => commands)
