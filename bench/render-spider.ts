import { writeSync } from 'node:fs'
import { spider } from '../src/wiring/define-spider.ts'
import { runSpider } from '../src/wiring/run-spider.ts'

/** Renders every page of the app from `start` on, as a program of its own: `node render-spider.ts <start URL> <tabs>`. */
const [start = '', tabs = '4'] = process.argv.slice(2)
let pages = 0
const { stats } = await runSpider(
  spider({
    ...{ name: 'render', start: [start], render: 'always' },
    settings: {
      agent: { email: 'bench@example.org' },
      politeness: { delaySeconds: 0, threadsPerHost: 32 },
      render: { pages: Number(tabs), quietSeconds: 0.1 },
    },
    *parse(page) {
      if (page.text('h1') === '') throw new Error(`${page.url} has no text`)
      pages++
      yield* page.followAll('a')
    },
  }),
  { collect: false },
)
if (stats.failures.length > 0) throw new Error(JSON.stringify(stats.failures))
writeSync(1, `${JSON.stringify({ pages })}\n`)
