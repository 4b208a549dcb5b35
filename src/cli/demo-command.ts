import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { SearchIndex, type SearchResult } from '../adapters/sqlite-index/search-index.ts'
import { startDemoWeb } from '../demo/demo-web.ts'
import type { CommandContext } from './command-context.ts'
import { type CrawlCommandFlags, crawlCommandConfig, runCrawl } from './crawl-command.ts'
import { withCrawlToRead } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { formatCount, formatDuration, formatJson } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { indexJson, indexReport } from './index-report.ts'
import { seconds } from './option-values.ts'
import { resultText } from './search-command.ts'

interface DemoFlags {
  readonly json: boolean
  readonly delay?: number
}

const DEMO_QUERY = 'spider silk'

export function demoCommand({ terminal, exitWith }: CommandContext): Command {
  return new Command('demo')
    .description(
      'Crawls a small built-in web of six sites on this machine, and shows what came of it. It needs no internet.',
    )
    .argument('[dir]', 'the crawl directory (default: a new one in the folder for temporary files)')
    .option('--json', 'print one JSON document', false)
    .option('--delay <seconds>', 'rest between two requests to one host (default: 0.05)', seconds)
    .addHelpText('after', helpNotes({ 3: 'failure or interruption' }))
    .action(async (named: string | undefined, { json, delay = 50 }: DemoFlags) => {
      const dir = named ?? join(mkdtempSync(join(tmpdir(), 'orbweaver-demo-')), 'crawl')
      const web = await startDemoWeb()
      try {
        terminal.err(
          `A web of ${web.hosts.length} sites is at ${web.hosts[0]} and beside it. Crawling it into ${dir}\n`,
        )
        const flags: CrawlCommandFlags = {
          ...{ json, delay, force: false, http2: true, retries: 0, parseThreads: 1, countMode: 'host' },
          agent: 'orbweaver-demo',
          index: true,
          email: 'demo@localhost',
        }
        const config = crawlCommandConfig(flags)
        // Nobody wants to wait for a demo: its errors are made up, and so need little rest.
        const politeness = { ...config.politeness, backoffSeconds: 0.5 }
        const result = await runCrawl(dir, web.seeds, flags, terminal, { ...config, politeness })
        const stats = await withCrawlToRead({ dir, flags, config: {}, command: 'demo' }, ({ db }) =>
          db.stats(),
        )
        const searched = searchDemo(dir)
        const asked = new Set(web.hits.map(({ url }) => url))
        const found = web.expected.filter(({ url }) => asked.has(url)).length
        const { index = [], ...crawled } = result
        if (json) {
          const document = { dir, ...crawled, stats, index: indexJson(index), search: searched }
          terminal.out(formatJson(document))
        } else {
          const rows = Object.entries(stats.statuses).map(([name, n]) => `  ${name.padEnd(18)}${n}`)
          terminal.out(
            [
              `${formatCount(result.pages, 'page')} of ${formatCount(web.hosts.length, 'site')} in ${formatDuration(result.durationMs)}. Of the ${web.expected.length} URLs that a polite crawler can find, ${found} were asked for.`,
              ...rows,
              '',
              `The index: ${indexReport(index).trimEnd()}`,
              `A search for ${DEMO_QUERY}: ${resultText(searched, 0, terminal.columns !== undefined)}`,
              'What to try next:',
              `  npx orbweaver search ${dir} '"orb web" OR crème'`,
              `  npx orbweaver serve ${dir}`,
              `  npx orbweaver readdb ${dir} --stats`,
              `  npx orbweaver readdb ${dir} --sql "select status, url from crawldb order by score desc limit 10"`,
              `  npx orbweaver explain ${dir} ${web.url('bakery', '/account')}`,
              `  npx orbweaver export ${dir} --format markdown --out pages/`,
              '',
            ].join('\n'),
          )
        }
        if (result.ended === 'interrupted') exitWith(EXIT.failed)
      } finally {
        await web.close()
      }
    })
}

function searchDemo(dir: string): SearchResult {
  const index = SearchIndex.open(dir)
  try {
    return index.search(DEMO_QUERY, { limit: 3 })
  } finally {
    index.close()
  }
}
