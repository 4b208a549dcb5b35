/** Pages per second of `orbweaver index` for a real site, into the embedded search index, start included. `INDEX_SITES` chooses another site. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveRealSites } from '../testing/real-web/serve-real-sites.ts'
import { buildDist } from './build-dist.ts'
import { installedSites } from './installed-sites.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureIn } from './measure-process.ts'
import { noRest, ORBWEAVER, orbweaverCrawl } from './orbweaver-process.ts'
import { removeFolder } from './remove-folder.ts'
import { undoAtExit } from './undo-at-exit.ts'

export interface IndexRates {
  readonly pagesPerSecond: number
  readonly pagesPerCpuSecond: number
}

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const { pagesPerSecond, pagesPerCpuSecond } = await measureIndex()
  console.log(
    `${pagesPerSecond.toFixed(0)} pages per second (aim: 2,000), ${pagesPerCpuSecond.toFixed(0)} per CPU-second`,
  )
}

export async function measureIndex(): Promise<IndexRates> {
  buildDist()
  const served = await serveRealSites(installedSites('INDEX_SITES', ['scipy']))
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-index-'))
  const undone = undoAtExit(() => removeFolder(folder))
  try {
    const crawl = orbweaverCrawl({
      seeds: served.seeds,
      scope: 'host',
      settings: { politeness: noRest(32, 32) },
    })
    await crawl.prepare?.(folder)
    await measureIn(folder, crawl)
    const index = { command: [...ORBWEAVER, 'index', 'crawl', '--json'] }
    const { output, seconds, cpuSeconds } = await measureIn(folder, index)
    const pages = indexedPages(output)
    return { pagesPerSecond: pages / seconds, pagesPerCpuSecond: pages / cpuSeconds }
  } finally {
    undone()
    removeFolder(folder)
    await served.close()
  }
}

function indexedPages(output: string): number {
  const [result = { put: 0 }] = JSON.parse(output) as Array<{ readonly put: number }>
  return result.put
}
