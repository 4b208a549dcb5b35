/**
 * Pages rendered per CPU-second, with all processes of Chromium counted: a spider with `render: 'always'`, and Crawlee's PlaywrightCrawler with the same
 * Chromium and as many tabs, on an app whose pages are a shell, two scripts and one call of an API. `RENDER_PAGES` sets the number of pages.
 */
import { join } from 'node:path'
import { CHROMIUM, requireChromium } from '../testing/require-chromium.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureProcess } from './measure-process.ts'
import { ProcessTree } from './process-tree.ts'
import { RenderApp } from './render-app.ts'

const PAGES = Number(process.env['RENDER_PAGES'] ?? 300)
const TABS = '4'

export async function run(): Promise<void> {
  if (!requireChromium()) throw new Error('it needs the package chromium')
  console.log(machineText(machineFacts()))
  const app = await RenderApp.start(PAGES)
  const { start } = app
  const here = import.meta.dirname
  try {
    for (const [name, command] of [
      ['orbweaver', [process.execPath, join(here, 'render-spider.ts'), start, TABS]],
      ['crawlee', [process.execPath, join(here, 'peers/crawlee-playwright.js'), start, TABS, CHROMIUM]],
    ] as const) {
      const tree = new ProcessTree(process.pid)
      const timer = setInterval(() => tree.sample(), 100)
      const { pages, seconds } = await measureProcess({ command, pagesOf })
      clearInterval(timer)
      if (pages !== PAGES) throw new Error(`${name} rendered ${pages} of ${PAGES} pages`)
      const figures = [
        `${pages} pages`,
        `${(pages / seconds).toFixed(1)} pages/s`,
        `${(pages / tree.cpuSeconds).toFixed(2)} pages per CPU-second`,
        `${tree.peakMegabytes.toFixed(0)} MB at most`,
      ]
      console.log(`${name.padEnd(10)} ${figures.join('  ')}`)
    }
  } finally {
    app.close()
  }
}

function pagesOf(output: string): number {
  return (JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as { pages: number }).pages
}
