import { measureProcess } from './measure-process.ts'
import { OnePageSite } from './one-page-site.ts'
import { ORBWEAVER, orbweaverCrawl } from './orbweaver-process.ts'

export interface StartUp {
  readonly helpMs: number
  /** From the start of a crawl's process until its first request is at a server. */
  readonly firstRequestMs: number
  /** Of a crawl whose only page is not there. */
  readonly crawlCpuSeconds: number
}

const TIMES = 5

/** The least of five each: the others waited for something else on the machine. */
export async function measureStartUp(): Promise<StartUp> {
  const helps = await severalTimes(help)
  const crawls = await severalTimes(crawlOfNothing)
  return {
    helpMs: Math.round(Math.min(...helps)),
    firstRequestMs: Math.round(Math.min(...crawls.map(({ firstRequestMs }) => firstRequestMs))),
    crawlCpuSeconds: Math.min(...crawls.map(({ cpuSeconds }) => cpuSeconds)),
  }
}

async function severalTimes<T>(once: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let time = 0; time < TIMES; time++) results.push(await once())
  return results
}

async function help(): Promise<number> {
  const { seconds } = await measureProcess({ command: [...ORBWEAVER, '--help'], pagesOf: () => 0 })
  return seconds * 1_000
}

async function crawlOfNothing(): Promise<{ firstRequestMs: number; cpuSeconds: number }> {
  const site = await OnePageSite.open()
  const crawl = orbweaverCrawl({ seeds: [site.url] })
  let startedAt = 0
  const { cpuSeconds } = await measureProcess({
    ...crawl,
    async prepare(folder) {
      await crawl.prepare?.(folder)
      startedAt = performance.now()
    },
  })
  site.close()
  return { firstRequestMs: site.firstRequestAt - startedAt, cpuSeconds }
}
