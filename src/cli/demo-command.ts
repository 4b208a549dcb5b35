import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import type { SearchResult } from '../adapters/sqlite-index/search-index.ts'
import { formatCount, formatDuration, formatJson } from '../base/format-values.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { runWithProgress } from './crawl-report.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { indexJson, indexReport } from './index-report.ts'
import { injectReport } from './inject-report.ts'
import { seconds } from './option-values.ts'
import { resultText } from './search-report.ts'

interface DemoFlags {
  readonly json: boolean
  /** Milliseconds. */
  readonly delay?: number
}

const DEMO_QUERY = 'spider silk'

export function demoCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('demo')
    .description('Crawl, index and search six built-in demo sites on this machine, without internet access')
    .argument('[dir]', 'Crawl directory (default: a new temporary directory)')
    .option('--delay <seconds>', 'Delay between requests to the same host (default: 0.05)', seconds)
  return addJsonOption(command)
    .addHelpText('after', helpNotes({ 3: 'failure or interruption' }))
    .action(async (named: string | undefined, { json, delay = 50 }: DemoFlags) => {
      const { startDemoWeb } = await import('../demo/demo-web.ts')
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      const dir = named ?? join(mkdtempSync(join(tmpdir(), 'orbweaver-demo-')), 'crawl')
      const web = await startDemoWeb()
      try {
        terminal.err(
          `Serving ${web.hosts.length} demo sites on 127.0.0.1 (first: ${web.hosts[0]}). Crawling them into ${dir}\n`,
        )
        await using crawl = await openCrawl(dir, {
          agent: { name: 'orbweaver-demo', email: 'demo@localhost' },
          // The errors of the demo sites are made up: they need no long back-off.
          politeness: { delaySeconds: delay / 1000, backoffSeconds: 0.5 },
          command: 'demo',
          openLog: (log) => terminal.openLog(log),
        })
        terminal.err(injectReport(dir, await crawl.inject(web.seeds)))
        const result = await runWithProgress(crawl, terminal, { index: true })
        const stats = await crawl.stats()
        const searched = await searchDemo(dir)
        const requested = new Set(web.hits.map(({ url }) => url))
        const found = web.expected.filter(({ url }) => requested.has(url)).length
        const { index = [], ...crawled } = result
        if (json)
          terminal.out(formatJson({ dir, ...crawled, stats, index: indexJson(index), search: searched }))
        else {
          const rows = Object.entries(stats.statuses).map(([name, n]) => `  ${name.padEnd(18)}${n}`)
          terminal.out(
            [
              `${formatCount(result.pages, 'page')} of ${formatCount(web.hosts.length, 'site')} in ${formatDuration(result.durationMs)}; ${found} of the ${web.expected.length} URLs that robots.txt allows were requested`,
              ...rows,
              '',
              `Index: ${indexReport(index).trimEnd()}`,
              `Search for ${DEMO_QUERY}: ${resultText(searched, 0, terminal.columns !== undefined)}`,
              'Next steps:',
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

async function searchDemo(dir: string): Promise<SearchResult> {
  const { SearchIndex } = await import('../adapters/sqlite-index/search-index.ts')
  const index = SearchIndex.open(dir)
  try {
    return index.search(DEMO_QUERY, { limit: 3 })
  } finally {
    index.close()
  }
}
