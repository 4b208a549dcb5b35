import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { spider } from '../../src/wiring/define-spider.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import { appSite } from '../../testing/javascript-sites/app-site.ts'
import { it, JavaScriptWeb } from './javascript-web.ts'

let web: JavaScriptWeb
let folder: string
beforeAll(async () => {
  web = await JavaScriptWeb.start(appSite, '127.0.0.61')
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-faults-'))
})
afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

/** The browsers that a process has started. */
function browsersOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return lines
    .filter((line) => line.includes('--orbweaver-browser='))
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid = 0]) => pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ Z/m.test(
      execFileSync('ps', ['-o', 'pid=,stat=', '-p', String(pid)], { encoding: 'utf8' }).trim(),
    )
  } catch {
    return false
  }
}

async function until<T>(find: () => T | undefined | false): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = find()
    if (found !== undefined && found !== false) return found
    await pause(50)
  }
  throw new Error('it did not happen within 30 s')
}

it('replaces a browser that was killed, and loses no page', async () => {
  const titles = new Set<string>()
  let killed = 0
  const { stats } = await runSpider(
    spider({
      name: 'killed',
      start: [1, 2, 3, 4, 5].map((id) => `${web.origin}/articles/${id}`),
      render: 'always',
      settings: { politeness: { delaySeconds: 0 }, render: { pages: 1 } },
      parse(page) {
        const [browser] = browsersOf(process.pid)
        if (killed++ === 1 && browser !== undefined) process.kill(browser, 'SIGKILL')
        titles.add(page.text('title'))
      },
    }),
  )
  expect(stats.failures).toEqual([])
  expect(titles.size).toBe(5)
  expect(browsersOf(process.pid)).toEqual([])
})

it('replaces the browser after a number of pages, and keeps its cookies', async () => {
  const browsers = new Set<number>()
  const pageCounts: number[] = []
  await runSpider(
    spider({
      name: 'recycled',
      start: [1, 2, 3, 4, 5].map((id) => `${web.origin}/articles/${id}`),
      render: 'always',
      settings: { politeness: { delaySeconds: 0 }, render: { pages: 1, pagesPerBrowser: 2 } },
      async parse(page) {
        for (const pid of browsersOf(process.pid)) browsers.add(pid)
        const count = await page.browser.evaluate<number>(
          `(() => { const n = Number(/n=(\\d+)/.exec(document.cookie)?.[1] ?? 0) + 1; document.cookie = 'n=' + n + '; path=/'; return n })()`,
        )
        pageCounts.push(count)
      },
    }),
  )
  expect(pageCounts).toEqual([1, 2, 3, 4, 5])
  expect(browsers.size).toBeGreaterThanOrEqual(3)
  expect(browsersOf(process.pid)).toEqual([])
})

/** A process that renders pages which never end. */
async function startRun(): Promise<{ child: ChildProcess; browser: number }> {
  const file = join(folder, 'slow.ts')
  writeFileSync(
    file,
    `import { spider } from '${new URL('../../src/spider.ts', import.meta.url).pathname}'
export default spider({ name: 'slow', start: ['${web.origin}/articles/1'], render: 'always',
  limits: { handlerSeconds: 600 }, async parse(page) { await page.browser.waitFor('#never', { timeoutSeconds: 500 }) } })`,
  )
  const program = new URL('../../testing/orbweaver-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, 'run', file, '--delay', '0'], { stdio: 'ignore' })
  const { pid = 0 } = child
  const browser = await until(() => browsersOf(pid)[0])
  await until(() => web.paths.filter((path) => path === '/api/articles/1/comments').length > 0)
  return { child, browser }
}

it.each(['SIGKILL', 'SIGINT'] as const)('leaves no browser behind after %s', async (signal) => {
  web.judge.reset()
  const { child, browser } = await startRun()
  expect(isAlive(browser)).toBe(true)
  child.kill(signal)
  // The second Ctrl-C does not wait for the handler.
  if (signal === 'SIGINT') {
    await pause(500)
    child.kill(signal)
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  await until(() => !isAlive(browser))
})
