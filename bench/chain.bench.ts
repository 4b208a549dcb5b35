/**
 * A chain of pages: each is linked only by the one before, so that nothing can be done ahead. Requests per second of `orbweaver run` and of
 * a loop of `fetch`, both as the server sees them, without the start of the program. `CHAIN_PAGES` sets the length, and `CHAIN_ROUNDS` the number of alternating runs.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buildDist } from './build-dist.ts'
import { chosenSize } from './chosen-sizes.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureProcess, type ProcessToMeasure } from './measure-process.ts'
import { noRest, orbweaverRun } from './orbweaver-process.ts'

const PAGES = chosenSize('CHAIN_PAGES', 2_000)
const ROUNDS = chosenSize('CHAIN_ROUNDS', 3)
const SPIDER = join(import.meta.dirname, 'peers/orbweaver-spider.js')

export interface ChainRates {
  /** Requests per second, of the best round. */
  readonly bareLoop: number
  readonly spider: number
}

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const { bareLoop, spider } = await measureChain()
  console.log(`bare loop      ${bareLoop.toFixed(0)} requests per second`)
  console.log(
    `orbweaver run  ${spider.toFixed(0)} requests per second: ${(spider / bareLoop).toFixed(2)} × (aim: 0.8)`,
  )
}

export async function measureChain(): Promise<ChainRates> {
  buildDist()
  const times: number[] = []
  const server = createServer(({ url }, response) => {
    const number = Number(/^\/(\d+)$/.exec(url ?? '')?.[1])
    if (Number.isNaN(number)) return response.writeHead(404).end()
    times.push(performance.now())
    const next = number < PAGES ? `<a href="/${number + 1}">next</a>` : 'the last'
    return response.setHeader('content-type', 'text/html').end(`<title>${number}</title><p>${next}</p>`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const start = `http://127.0.0.1:${(server.address() as AddressInfo).port}/1`
  const rate = async (program: ProcessToMeasure): Promise<number> => {
    times.length = 0
    await measureProcess(program)
    if (times.length !== PAGES) throw new Error(`${times.length} of ${PAGES} pages were requested`)
    return (PAGES - 1) / (((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000)
  }
  try {
    const best = { bareLoop: 0, spider: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      best.bareLoop = Math.max(best.bareLoop, await rate(bareLoop(start)))
      best.spider = Math.max(best.spider, await rate(spider(start)))
    }
    return best
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

function bareLoop(start: string): ProcessToMeasure {
  const loop = `
    let url = '${start}'
    while (url !== undefined) {
      const html = await (await fetch(url)).text()
      const [, href] = /<a href="([^"]+)"/.exec(html) ?? []
      url = href && new URL(href, url).href
    }`
  return { command: [process.execPath, '--input-type=module', '-e', loop], pagesOf: () => PAGES }
}

function spider(start: string): ProcessToMeasure {
  return orbweaverRun({
    seeds: [start],
    scope: 'host',
    file: SPIDER,
    settings: { politeness: noRest(1, 1) },
    flags: ['--dir', 'crawl'],
  })
}
