import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from './command-process.ts'
import { type CrawlState, readCrawlState } from './crawl-state.ts'
import { type SmallWeb, startSmallWeb } from './small-web.ts'

let folder: string
let seeds: string
let web: SmallWeb

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-crash-'))
  web = await startSmallWeb(0)
  seeds = join(folder, 'seeds')
  writeFileSync(seeds, web.seedLines.join('\n'))
})

afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

describe('a full disk', () => {
  // Only root can mount a small disk.
  it.skipIf(!canMount())('is reported, and changes nothing', async () => {
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    mount(disk)
    try {
      const dir = join(disk, 'crawl')
      expect(await runCommand(['inject', dir, seeds])).toMatchObject({ exitCode: 0 })
      expect(await runCommand(['generate', dir])).toMatchObject({ exitCode: 0 })
      const before = await readCrawlState(dir)

      const filler = fill(disk, 20_000)
      await expectFull(['fetch', dir, '--delay', '0', '--redirect-max', '0'])
      const [state, wanted] = [await readCrawlState(dir), before].map(withListsWhole)
      expect(state).toEqual(wanted)
      rmSync(filler)
      expect(await runCommand(['fetch', dir, '--delay', '0', '--redirect-max', '0'])).toMatchObject({
        exitCode: 0,
      })
      const fetched = await readCrawlState(dir)
      expect(fetched.segments[0]?.remaining).toEqual([])

      const again = fill(disk, 4_000)
      await expectFull(['updatedb', dir])
      expect(await readCrawlState(dir)).toEqual(fetched)
      rmSync(again)
      expect(await runCommand(['updatedb', dir])).toMatchObject({ exitCode: 0 })

      const updated = await readCrawlState(dir)
      const many = join(folder, 'many')
      writeFileSync(many, Array.from({ length: 200_000 }, (_, i) => `http://a.test/${hash(i)}`).join('\n'))
      await expectFull(['inject', dir, many])
      expect(await readCrawlState(dir)).toEqual(updated)
    } finally {
      execFileSync('umount', [disk])
    }
  })
})

/** On a slow machine a few rows are written while there is still room: then these URLs have a row, and are to be fetched no more. */
function withListsWhole({ segments, ...state }: CrawlState) {
  const lists = segments.map(({ remaining, rows }) => new Set([...remaining, ...rows]))
  return { ...state, lists }
}

describe('a database that cannot be read', () => {
  it('is never left by a process that was killed while it made the first one', async () => {
    const dir = join(folder, 'first')
    // Killed with the file begun: DuckDB writes three pages, and opens nothing that has fewer.
    mkdirSync(dir)
    writeFileSync(join(dir, 'crawldb.duckdb.new'), Buffer.alloc(4_096))
    expect(await runCommand(['inject', dir, seeds])).toMatchObject({ exitCode: 0 })
    expect(readdirSync(dir).filter((name) => name.startsWith('crawldb'))).toEqual(['crawldb.duckdb'])
  })

  it.each(['inject', 'generate', 'updatedb', 'readdb'])('is told by %s and left as it is', async (name) => {
    const dir = join(folder, `garbage-${name}`)
    mkdirSync(dir)
    const file = join(dir, 'crawldb.duckdb')
    writeFileSync(file, Buffer.alloc(100_000, 'garbage '))
    const { exitCode, stdout, stderr } = await runCommand([name, dir, ...(name === 'inject' ? [seeds] : [])])
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
    expect(stderr).toMatch(/error: \S+crawldb\.duckdb cannot be read: /)
    expect(stderr).not.toMatch(/\n +at /)
    expect(readFileSync(file)).toEqual(Buffer.alloc(100_000, 'garbage '))
  })
})

/** Nothing that a database could compress. */
function hash(n: number): string {
  return createHash('sha256').update(String(n)).digest('hex')
}

async function expectFull(command: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await runCommand(command)
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr: expect.stringMatching(/^error: .*no room left on the disk/m),
  })
}

/** Leaves so many bytes free. */
function fill(disk: string, leaveBytes: number): string {
  const { bavail, bsize } = statfsSync(disk)
  const file = join(disk, 'filler')
  writeFileSync(file, Buffer.alloc(bavail * bsize - leaveBytes))
  return file
}

function mount(path: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', path], { stdio: 'ignore' })
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const path = mkdtempSync(join(tmpdir(), 'orbweaver-mount-'))
  try {
    mount(path)
    execFileSync('umount', [path])
    return true
  } catch {
    return false
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}
