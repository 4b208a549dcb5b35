import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { CrawlDirectoryLocked } from './crawl-directory-error.ts'
import { type LockOwner, readLockOwner, takeCrawlLock } from './crawl-lock.ts'
import { claimOn } from './lock-protocol.ts'
import { processStart } from './process-start.ts'

let folder: string
let file: string
let other: ChildProcess | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-lock-'))
  file = join(folder, 'lock')
})
afterEach(() => {
  other?.kill('SIGKILL')
  other = undefined
  rmSync(folder, { recursive: true, force: true })
})

const REQUEST = { command: 'crawl', now: Date.UTC(2027, 0, 15) }

function writeOwner(owner: Partial<LockOwner>): void {
  const whole = {
    pid: process.pid,
    host: hostname(),
    since: '2027-01-01T00:00:00.000Z',
    command: 'fetch',
    ...owner,
  }
  writeFileSync(file, JSON.stringify(whole))
}

/** The pid of another process that lives until the test ends. */
function livingPid(): number {
  other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  return other.pid ?? 0
}

/** The pid of a process that has ended and been waited for. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await new Promise((resolve) => child.once('exit', resolve))
  return child.pid ?? 0
}

describe('takeCrawlLock', () => {
  it('names its owner and goes when released', () => {
    const lock = takeCrawlLock(file, REQUEST)
    expect(readLockOwner(file)).toMatchObject({
      pid: process.pid,
      host: hostname(),
      since: '2027-01-15T00:00:00.000Z',
      command: 'crawl',
    })
    lock.release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses a second owner in the same process', () => {
    const lock = takeCrawlLock(file, REQUEST)
    expect(() => takeCrawlLock(file, REQUEST)).toThrow(CrawlDirectoryLocked)
    lock.release()
    takeCrawlLock(file, REQUEST).release()
  })

  it('refuses while the owner lives, and says who it is', () => {
    const pid = livingPid()
    const start = processStart(pid)
    writeOwner({ pid, ...withoutUndefined({ processStart: start }) })
    expect(() => takeCrawlLock(file, REQUEST)).toThrow(
      new RegExp(`pid ${pid} on ${hostname()}, since 2027-01-01T00:00:00.000Z, running "fetch"`),
    )
  })

  it('takes the lock of a process that is no more', async () => {
    writeOwner({ pid: await deadPid() })
    takeCrawlLock(file, REQUEST)
    expect(readLockOwner(file)).toMatchObject({ pid: process.pid })
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('clears what processes left that were killed while they took over', async () => {
    const pid = await deadPid()
    writeOwner({ pid })
    const text = readFileSync(file, 'utf8')
    writeFileSync(claimOn(file, text), text)
    writeFileSync(claimOn(claimOn(file, text), text), text)
    writeFileSync(claimOn(file, 'of long ago'), text)
    writeFileSync(`${file}.${pid}`, '')
    takeCrawlLock(file, REQUEST)
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it.runIf(processStart(process.pid) !== undefined)(
    'takes the lock of a process whose pid another has now',
    () => {
      writeOwner({ pid: livingPid(), processStart: '1' })
      takeCrawlLock(file, REQUEST)
      expect(readLockOwner(file)).toMatchObject({ pid: process.pid })
    },
  )

  it('does not judge the processes of another machine', async () => {
    writeOwner({ pid: await deadPid(), host: 'elsewhere.example' })
    expect(() => takeCrawlLock(file, REQUEST)).toThrow(/on elsewhere\.example/)
  })

  it('refuses a lock that it cannot read', () => {
    writeFileSync(file, '{"pid": 1')
    expect(() => takeCrawlLock(file, REQUEST)).toThrow(/cannot be read/)
  })

  it('takes any lock by force, and the loser does not release it', () => {
    const loser = takeCrawlLock(file, REQUEST)
    const winner = takeCrawlLock(file, { ...REQUEST, command: 'inject', force: true })
    loser.release()
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ command: 'inject' })
    winner.release()
    expect(existsSync(file)).toBe(false)
  })
})
