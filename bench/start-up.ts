import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { measureProcess } from './measure-process.ts'
import { ORBWEAVER, orbweaverCrawl } from './orbweaver-process.ts'

export interface StartUp {
  readonly helpMs: number
  /** From the start of a crawl's process until its first request is at a server. */
  readonly firstRequestMs: number
}

const TIMES = 5

/** The quickest of five each: the others waited for something else on the machine. */
export async function measureStartUp(): Promise<StartUp> {
  return { helpMs: await quickest(help), firstRequestMs: await quickest(firstRequest) }
}

async function quickest(once: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < TIMES; time++) least = Math.min(least, await once())
  return Math.round(least)
}

async function help(): Promise<number> {
  const { seconds } = await measureProcess({ command: [...ORBWEAVER, '--help'], pagesOf: () => 0 })
  return seconds * 1_000
}

async function firstRequest(): Promise<number> {
  let cameAt = Number.POSITIVE_INFINITY
  const server = createServer((_, response) => {
    cameAt = Math.min(cameAt, performance.now())
    response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const crawl = orbweaverCrawl({ seeds: [`http://127.0.0.1:${(server.address() as AddressInfo).port}/`] })
  let startedAt = 0
  await measureProcess({
    ...crawl,
    async prepare(folder) {
      await crawl.prepare?.(folder)
      startedAt = performance.now()
    },
  })
  server.close()
  return cameAt - startedAt
}
