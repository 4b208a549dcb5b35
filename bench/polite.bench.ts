/**
 * Compares the rate of a polite crawl with the ideal rate: one request per second and host, until hosts have no more pages.
 * All pages are known from the start, and small: it is about turns, not about parsing. `POLITE_HOSTS`, `POLITE_PAGES` (of a host) and `POLITE_IN_FLIGHT` change it.
 */

import { buildDist } from './build-dist.ts'
import { chosenSize } from './chosen-sizes.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureProcess } from './measure-process.ts'
import { orbweaverCrawl } from './orbweaver-process.ts'
import { type ServedWeb, serveWeb } from './web/serve-web.ts'
import { hostName } from './web/synthetic-web.ts'

const HOSTS = chosenSize('POLITE_HOSTS', 2_000)
const PAGES_PER_HOST = chosenSize('POLITE_PAGES', 20)
const IN_FLIGHT = chosenSize('POLITE_IN_FLIGHT', 256)
const DELAY_SECONDS = 1
const IDEAL = HOSTS / DELAY_SECONDS
/** robots.txt has its turn, too. */
const REQUESTS = HOSTS * (PAGES_PER_HOST + 1)
/** What comes after is the tail: some hosts are done, and the others cannot make up for them. */
const BEFORE_TAIL = 0.9 * REQUESTS

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  buildDist()
  const size = { hosts: HOSTS, pagesPerHost: PAGES_PER_HOST }
  const web = await serveWeb({ ...size, medianBytes: 6_000, links: 20, troubles: false, shared: true })
  const watch = new RateWatch(web)
  try {
    const crawl = orbweaverCrawl({
      seeds: Array.from({ length: HOSTS * PAGES_PER_HOST }, (_, i) => urlOf(i, web.port)),
      settings: { politeness: { delaySeconds: DELAY_SECONDS, threads: IN_FLIGHT } },
    })
    await watch.start()
    const { pages, cpuSeconds } = await measureProcess(crawl)
    const achieved = watch.beforeTail()
    const { connections } = await web.traffic()
    console.log(
      `${pages} of ${HOSTS * PAGES_PER_HOST} pages, ${cpuSeconds.toFixed(1)} CPU-s, ${connections} connections`,
    )
    console.log(
      `until the tail: ${achieved.toFixed(0)} requests/s, ideal ${IDEAL}; achieved/ideal ${(achieved / IDEAL).toFixed(2)}`,
    )
  } finally {
    watch.stop()
    await web.close()
  }
}

function urlOf(i: number, port: number): string {
  return `http://${hostName(i % HOSTS)}:${port}/page-${Math.floor(i / HOSTS)}.html`
}

interface Look {
  readonly atMs: number
  readonly requests: number
}

/** Prints the number of responses of the web every second, while there are any. */
class RateWatch {
  readonly #web: ServedWeb
  readonly #looks: Look[] = []
  #timer: NodeJS.Timeout | undefined
  #before = 0

  constructor(web: ServedWeb) {
    this.#web = web
  }

  async start(): Promise<void> {
    this.#before = (await this.#web.traffic()).requests
    this.#timer = setInterval(() => void this.#look(), 1_000)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Requests a second between the first look that saw any and the last before the tail. */
  beforeTail(): number {
    const looks = this.#looks.filter(({ requests }) => requests > 0 && requests <= BEFORE_TAIL)
    const [first, last] = [looks.at(0), looks.at(-1)]
    if (first === undefined || last === undefined || first === last) return 0
    return ((last.requests - first.requests) / (last.atMs - first.atMs)) * 1_000
  }

  async #look(): Promise<void> {
    const { requests } = await this.#web.traffic()
    const look = { requests: requests - this.#before, atMs: performance.now() }
    const last = this.#looks.at(-1)
    this.#looks.push(look)
    if (last === undefined || look.requests === last.requests) return
    const rate = ((look.requests - last.requests) / (look.atMs - last.atMs)) * 1_000
    console.log(
      `${String(look.requests).padStart(6)} of ${REQUESTS}  ${rate.toFixed(0).padStart(5)} requests/s  ${(rate / IDEAL).toFixed(2)} of the ideal`,
    )
  }
}
