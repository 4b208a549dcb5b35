import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type GatedSite, serveGatedSite } from '../testing/gated-site.ts'
import { TerminalScreen } from '../testing/terminal-screen.ts'

const RUNNER = join(import.meta.dirname, '../testing/pseudo-terminal.py')
const PROGRAM = join(import.meta.dirname, '../bin/orbweaver.js')
const hasPython = spawnSync('python3', ['-c', 'import pty, termios']).status === 0

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-terminal-'))
let site: GatedSite
let dir: string
let child: ChildProcess
let screen: TerminalScreen
/** Everything that was written to the terminal. */
let output: string
let tests = 0

beforeEach(async () => {
  site = await serveGatedSite(30)
  dir = join(folder, `c${++tests}`)
})

afterEach(async () => {
  // The end of the terminal ends the crawl, too.
  child.kill('SIGKILL')
  await site.close()
})

afterAll(() => rmSync(folder, { recursive: true }))

/** A crawl that waits in its second round, after ten pages. */
async function startCrawl(columns: number): Promise<void> {
  const crawl = [
    'crawl',
    dir,
    site.url,
    '--delay',
    '0',
    '--timeout',
    '100',
    '--email',
    'test@example.org',
    '--parse-threads',
    '0',
  ]
  child = spawn('python3', [RUNNER, String(columns), process.execPath, PROGRAM, ...crawl], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  screen = new TerminalScreen(columns)
  output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
    screen.write(text)
  })
  site.allow(10)
  await shows(PROGRESS)
}

/** The bar, and the URLs done: ten pages, and perhaps the one that does not exist. */
const PROGRESS = /^█+░+ 1[01] of 31 URLs/

/** Waits until the last line is as given. */
async function shows(line: RegExp): Promise<void> {
  await expect.poll(() => screen.lines.at(-1), { timeout: 60_000 }).toMatch(line)
}

function order(text: string): void {
  child.stdin?.write(`${text}\n`)
}

async function ended(): Promise<number | null> {
  const [exitCode] = await once(child, 'close')
  return exitCode
}

/** The lines of the screen after the crawl: no part of a progress line is among them. */
function expectCleanScreen(...more: RegExp[]): void {
  const expected = [
    ...[
      /^1 new URL in /,
      /^round 1: 1 URL /,
      /^segment \d+: 1 fetched$/,
      /^1 fetch result merged, 30 new URLs$/,
    ],
    ...[/^round 2: 30 URLs /, ...more, /^30 new URLs; for statistics: /],
  ]
  const lines = screen.lines.filter((line) => !OPTIONAL.test(line))
  expect(withMergesOfARound(lines)).toEqual(expected.map((line) => expect.stringMatching(line)))
}

/** On a slow machine, the results of a round are merged as they are stored: the lines of these merges become one. */
function withMergesOfARound(lines: readonly string[]): string[] {
  const merged: string[] = []
  for (const line of lines) {
    const before = MERGE.exec(merged.at(-1) ?? '')
    const more = MERGE.exec(line)
    if (before !== null && more !== null) merged.pop()
    const total = Number(more?.[1]) + Number(before?.[1] ?? 0)
    merged.push(
      more === null
        ? line
        : line.replace(/^\d+ fetch results?/, `${total} fetch result${total === 1 ? '' : 's'}`),
    )
  }
  return merged
}

const MERGE = /^(\d+) fetch results? merged, /

/** The page that does not exist may be fetched before a crawl is interrupted. */
const OPTIONAL = /^Resume with: |^failed:$|^ +1 +HTTP 404/

const FINISHED = [
  ...[/^segment \d+: 29 fetched, 1 failed$/, /^30 fetch results merged, 0 new URLs$/],
  ...[/^30 pages in 2 rounds, .*; finished/, /^30 fetched, 1 failed$/],
]

describe.skipIf(!hasPython)('a crawl in a terminal (needs python3)', () => {
  it.each([80, 30])('has a progress line that fits %i columns and is removed at the end', async (columns) => {
    await startCrawl(columns)
    expect(screen.lines.at(-1)?.length).toBeLessThan(columns)
    site.allow(30)
    expect(await ended()).toBe(0)
    expectCleanScreen(...FINISHED)
  })

  it('survives that the screen gets narrower and wider', async () => {
    await startCrawl(80)
    for (const columns of [30, 100]) {
      order(`resize ${columns}`)
      await expect.poll(() => screen.columns, { timeout: 30_000 }).toBe(columns)
      const before = output.length
      await expect.poll(() => output.slice(before).includes(' of 31 URLs'), { timeout: 30_000 }).toBe(true)
      expect(screen.lines.at(-1)).toMatch(PROGRESS)
      expect(screen.lines.at(-1)?.length).toBeLessThan(columns)
    }
    site.allow(30)
    expect(await ended()).toBe(0)
    expectCleanScreen(...FINISHED)
  })

  it.each([80, 30])(
    'ends after Ctrl-C with the summary and the command to resume, at %i columns',
    async (columns) => {
      await startCrawl(columns)
      order('interrupt')
      expect(await ended()).toBe(3)
      expectCleanScreen(
        /^stopping: requests in flight have up to 5 s to finish; press Ctrl-C again to quit at once$/,
        ...[/^segment \d+: 9 fetched/, /^(?:9|10) fetch results merged, 0 new URLs$/],
        ...[/^10 pages in 2 rounds, .*; interrupted$/, /^10 fetched(?:, 1 failed)?$/],
      )
      expect(screen.lines.at(-1)).toBe(`Resume with: orbweaver crawl ${dir}`)
    },
  )
})
