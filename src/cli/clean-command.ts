import { Command } from 'commander'
import { type CleanResult, cleanIndex } from '../cycle/clean-index.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { withCrawlToRead } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { writeFileWhole } from './file-writer.ts'
import { dbStatus } from './generate-command.ts'
import { collected } from './option-values.ts'
import { counted, tally } from './shown.ts'
import type { Terminal } from './terminal.ts'

interface CleanFlags extends CrawlFlags {
  readonly out: string
  readonly status?: readonly string[]
}

const STDOUT = '-'

const HELP = `
Writes the URLs of pages that are gone, duplicates, redirects, orphans or could not be read, one a line, for whoever keeps an index to take
out of it. The crawl stays as it is. With --json and no file, only the numbers are told. Pages that say noindex are not among them: export
tells those, in the field noindex.

Examples:
  orbweaver clean crawl > gone.txt
  orbweaver clean crawl --status gone --status duplicate --out gone.txt
  orbweaver clean crawl | jq -R . | jq -s '{delete: .}' |
    curl -H 'Content-Type: application/json' -d @- 'http://localhost:8983/solr/pages/update?commit=true'

Exit codes: 0 done; 1 there is nothing to clean; 2 wrong usage; 3 it failed.`

export function cleanCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('clean')
    .description('Names the pages that a search index must not hold.')
    .argument('<dir>', 'the crawl directory')
    .option('--out <file>', 'where the URLs go; -: standard output', STDOUT)
    .option('--status <status>', 'only these; may be repeated', collected)
  return addCrawlOptions(command)
    .addHelpText('after', HELP)
    .action(async (dir: string, flags: CleanFlags) => {
      const statuses = flags.status?.map(dbStatus)
      const result = await withCrawlToRead(
        { dir, flags, config: crawlConfig(flags), command: 'clean' },
        ({ reader }) => withOutput(flags, terminal, (remove) => cleanIndex(reader, remove, statuses)),
      )
      report(result, flags, terminal)
      if (result.urls === 0) exitWith(EXIT.nothing)
    })
}

type Remove = Parameters<typeof cleanIndex>[1]

function withOutput(
  { out, json }: CleanFlags,
  terminal: Terminal,
  work: (remove: Remove) => Promise<CleanResult>,
): Promise<CleanResult> {
  if (out !== STDOUT) return writeFileWhole(out, (write) => work((urls) => write(lines(urls))))
  if (json) return work(async () => {})
  return work((urls) => {
    terminal.out(lines(urls))
    return terminal.outRoom()
  })
}

function lines(urls: readonly string[]): string {
  return urls.map((url) => `${url}\n`).join('')
}

function report({ urls, statuses }: CleanResult, { out, json }: CleanFlags, terminal: Terminal): void {
  const isFile = out !== STDOUT
  if (json) {
    terminal.out(`${JSON.stringify({ out: isFile ? out : null, urls, statuses }, undefined, 2)}\n`)
    return
  }
  const text =
    urls === 0
      ? 'nothing to clean\n'
      : `${counted(urls, 'URL')}${isFile ? ` in ${out}` : ''}: ${tally(statuses)}\n`
  if (isFile) terminal.out(text)
  else terminal.err(text)
}
