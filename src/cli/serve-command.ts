import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { loadSettings } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import { CrawlSnapshots } from '../adapters/duckdb/crawl-snapshots.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import { ParquetVisitFigures } from '../adapters/duckdb/segments/parquet-visit-figures.ts'
import { type Listening, listen } from '../adapters/serve/listen.ts'
import { SearchProcesses } from '../adapters/serve/search-processes.ts'
import { createServeApp } from '../adapters/serve/serve-app.ts'
import { ServedCrawl } from '../adapters/serve/served-crawl.ts'
import { readWebFiles } from '../adapters/serve/web-files.ts'
import { steadyClock, wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CommandContext } from './command-context.ts'
import { addMemoryOption } from './crawl-flags.ts'
import { explainServed } from './explain-served.ts'
import { failureText } from './failure-text.ts'
import { formatJson } from './format-values.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { notLoadedNote } from './not-loaded-note.ts'
import { wholeNumber } from './option-values.ts'
import type { Terminal } from './terminal.ts'
import { addConfigOption } from './web-flags.ts'

interface ServeFlags {
  readonly port: number
  readonly host: string
  readonly json: boolean
  readonly config?: string
  readonly memory?: number
}

const HELP = `
The server can run during a crawl: it shows the current pages and index, and the CrawlDb as of the last time that no other process used it.
There is no login. By default only this machine can connect; with --host, everyone who can reach the address can see the crawl.

Examples:
  orbweaver serve crawl
  orbweaver serve crawl --port 0 --json`

export function serveCommand({ terminal }: CommandContext): Command {
  const command = new Command('serve')
    .argument('<dir>', 'Crawl directory')
    .option('--port <number>', 'Port to listen on; 0 for any free port', wholeNumber, 8090)
    .option('--host <address>', 'Address or name to listen on', '127.0.0.1')
  return addMemoryOption(addJsonOption(addConfigOption(command), 'Print the URL as one JSON document'))
    .addHelpText(
      'after',
      helpNotes(
        { 0: 'stopped by Ctrl-C', 2: 'usage error, no crawl in this directory, or the port is in use' },
        HELP,
      ),
    )
    .action(async (dir: string, flags: ServeFlags) => {
      if (flags.port > 65_535)
        throw new ConfigurationError('OPTION_INVALID', '--port is a number up to 65535')
      const server = await startServer(dir, flags, terminal)
      try {
        terminal.out(flags.json ? formatJson({ url: server.url }) : `${dir} is at ${server.url}\n`)
        if (!flags.json) terminal.err('Ctrl-C ends it.\n')
        if (!terminal.interrupted.aborted) await once(terminal.interrupted, 'abort')
      } finally {
        await server.close()
      }
    })
}

/** Opens what is served, and listens. @throws ConfigurationError, CrawlDirectoryMissing */
async function startServer(dir: string, flags: ServeFlags, terminal: Terminal): Promise<Listening> {
  requireCrawl(dir)
  const source = settingsSource({
    ...withoutUndefined({ named: flags.config }),
    crawlDirectory: dir,
    currentDirectory: process.cwd(),
    env: process.env,
    flags: flags.memory === undefined ? {} : { memoryMb: flags.memory },
    loadsCode: false,
  })
  terminal.err(notLoadedNote(source))
  const settings = await loadSettings(source)
  const memory = settings.memoryMb === undefined ? {} : { memoryMb: settings.memoryMb }
  const files = await readWebFiles(webFolder())
  const closers: Array<() => unknown> = []
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    const segments = await ParquetSegments.open(dir, memory)
    closers.push(() => segments.close())
    const visits = await ParquetVisitFigures.open(dir, segments, settings.memoryMb)
    closers.push(() => visits.close())
    const looks = new CrawlSnapshots(dir, { clock: wallClock, ...memory })
    closers.push(() => looks.close())
    const search = new SearchProcesses(steadyClock, { filename: SEARCH_WORKER, directory: dir })
    closers.push(() => search.close())
    const crawl = new ServedCrawl({
      ...{ directory: dir, clock: wallClock, looks, segments, visits },
      explain: explainServed(settings, segments),
    })
    const server = await listen(
      createServeApp({
        ...{ crawl, search, files, host: flags.host },
        onFailure: (error) => terminal.err(`error: ${failureText(error)}\n`),
      }),
      flags,
    )
    closers.push(() => server.close())
    return { url: server.url, close }
  } catch (error) {
    await close()
    throw error
  }
}

function requireCrawl(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new ConfigurationError('OPTION_INVALID', `${dir} is a file; give the directory of a crawl`)
  if (['crawldb.duckdb', 'segments', 'index'].some((name) => existsSync(join(dir, name)))) return
  throw new CrawlDirectoryMissing(`there is no crawl in ${dir}: orbweaver crawl makes one`)
}

/** A source beside this file, or built. */
const SEARCH_WORKER = fileURLToPath(
  new URL(`../cli/search-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url),
)

/** The page is built into dist/, where this file is too unless it runs from its source. */
function webFolder(): string {
  const folders = ['../web/', '../../dist/web/'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  const built = folders.find((folder) => existsSync(join(folder, 'index.html')))
  if (built === undefined)
    throw new ConfigurationError('OPTION_INVALID', 'the page is not built: run npm run build')
  return built
}
