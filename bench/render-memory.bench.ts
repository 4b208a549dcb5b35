/**
 * Memory of rendering over many pages, with all processes of Chromium: a spider with `render: 'always'` in four tabs. It prints the highest figure in each
 * fifth of the pages; a leak would show as a rise from fifth to fifth. `RENDER_PAGES` sets the number of pages.
 */
import { join } from 'node:path'
import { requireChromium } from '../testing/require-chromium.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureProcess } from './measure-process.ts'
import { ProcessTree } from './process-tree.ts'
import { RenderApp } from './render-app.ts'

const PAGES = Number(process.env['RENDER_PAGES'] ?? 2_500)
const FIFTHS = 5

export async function run(): Promise<void> {
  if (!requireChromium()) throw new Error('it needs the package chromium')
  console.log(machineText(machineFacts()))
  const app = await RenderApp.start(PAGES)
  const tree = new ProcessTree(process.pid)
  const peaks = Array.from({ length: FIFTHS }, () => 0)
  const timer = setInterval(() => {
    tree.sample()
    const fifth = Math.min(FIFTHS - 1, Math.floor((app.rendered / PAGES) * FIFTHS))
    peaks[fifth] = Math.max(peaks[fifth] ?? 0, tree.megabytes)
  }, 250)
  try {
    const spider = join(import.meta.dirname, 'render-spider.ts')
    const command = [process.execPath, spider, app.start, '4']
    const { pages, seconds } = await measureProcess({ command, pagesOf })
    console.log(`${pages} pages in ${seconds.toFixed(0)} s`)
    for (const [i, peak] of peaks.entries())
      console.log(`to page ${String((PAGES / FIFTHS) * (i + 1)).padEnd(6)} ${peak.toFixed(0)} MB at most`)
  } finally {
    clearInterval(timer)
    app.close()
  }
}

function pagesOf(output: string): number {
  return (JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as { pages: number }).pages
}
