/**
 * Pages rendered per CPU-second, with all processes of Chromium counted: a spider with `render: 'always'`, and Crawlee's PlaywrightCrawler with the same
 * Chromium and as many tabs, on an app whose pages are a shell, two scripts and one call of an API. `RENDER_PAGES` sets the number of pages.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { CHROMIUM, requireChromium } from '../testing/require-chromium.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureProcess } from './measure-process.ts'

const PAGES = Number(process.env['RENDER_PAGES'] ?? 300)
const TABS = '4'
/** Ticks of /proc per second. */
const HERTZ = 100

export async function run(): Promise<void> {
  if (!requireChromium()) throw new Error('it needs the package chromium')
  console.log(machineText(machineFacts()))
  const server = createServer((request, response) => {
    const [type, body] = appResponse(request.url ?? '/')
    response
      .writeHead(body === '' ? 404 : 200, { 'content-type': type, 'cache-control': 'max-age=600' })
      .end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const start = `http://127.0.0.1:${(server.address() as AddressInfo).port}/0`
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
    server.close()
  }
}

function pagesOf(output: string): number {
  return (JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as { pages: number }).pages
}

const SHELL =
  '<!doctype html><title>App</title><div id="root"></div><script src="/vendor.js"></script><script src="/app.js"></script>'
const VENDOR = `window.modules = [${'() => { return [1, 2, 3].map((x) => x * 2) },\n'.repeat(5_000)}]`
const APP = `fetch('/api' + location.pathname).then((r) => r.json()).then(({ title, text, links }) => {
  document.getElementById('root').innerHTML = '<h1>' + title + '</h1><p>' + text + '</p>' + links.map((n) => '<a href="/' + n + '">' + n + '</a>').join(' ')
})`

/** Page n links to the two pages of a binary tree below it. */
function appResponse(path: string): readonly [type: string, body: string] {
  if (path === '/vendor.js') return ['text/javascript', VENDOR]
  if (path === '/app.js') return ['text/javascript', APP]
  const n = Number(/^\/api\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
  if (n < PAGES) {
    const links = [2 * n + 1, 2 * n + 2].filter((to) => to < PAGES)
    return ['application/json', JSON.stringify({ title: `Page ${n}`, text: 'word '.repeat(300), links })]
  }
  return ['text/html', /^\/\d+$/.test(path) ? SHELL : '']
}

/** Adds up the CPU time and the memory of all descendants of a process but itself. */
class ProcessTree {
  readonly #root: number
  readonly #ticks = new Map<string, number>()
  peakMegabytes = 0

  constructor(root: number) {
    this.#root = root
  }

  get cpuSeconds(): number {
    return [...this.#ticks.values()].reduce((sum, ticks) => sum + ticks, 0) / HERTZ
  }

  sample(): void {
    const all = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(statOf)
    const wanted = new Set([this.#root])
    // A child may be listed before its parent.
    for (let size = 0; size !== wanted.size; ) {
      size = wanted.size
      for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid)
    }
    let megabytes = 0
    for (const { pid, startedAt, ticks, pages } of all)
      if (wanted.has(pid) && pid !== this.#root) {
        this.#ticks.set(`${pid} ${startedAt}`, ticks)
        megabytes += (pages * 4096) / 1e6
      }
    this.peakMegabytes = Math.max(this.peakMegabytes, megabytes)
  }
}

function statOf(pid: string) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [parent, user, system, startedAt, pages] = [1, 11, 12, 19, 21].map((i) => Number(fields[i]))
    return [
      {
        pid: Number(pid),
        parent: parent ?? 0,
        ticks: (user ?? 0) + (system ?? 0),
        startedAt,
        pages: pages ?? 0,
      },
    ]
  } catch {
    return []
  }
}
