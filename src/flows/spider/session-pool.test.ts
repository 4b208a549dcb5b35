import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { runClock } from '../../../testing/run-clock.ts'
import { SessionFile } from '../../adapters/crawl-directory/session-file.ts'
import { CookieJar } from '../../adapters/http/cookie-jar.ts'
import type { LiveSession } from './live-session.ts'
import { LoginFailed, type SessionLogin } from './session-login.ts'
import type { SessionsOptions } from './session-options.ts'
import { SessionPool } from './session-pool.ts'

const request = (url: string, session?: string) => ({
  ...{ url, handler: 'parse', depth: 0 },
  ...(session !== undefined && { session }),
})
const A = request('http://a.test/1')

let folder: string
let clock: FakeClock
let onLoginFailed: ReturnType<typeof vi.fn<(error: LoginFailed) => void>>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-session-pool-'))
  clock = new FakeClock()
  onLoginFailed = vi.fn()
})
afterEach(() => rmSync(folder, { recursive: true }))

function open(options: SessionsOptions = {}, login?: (session: LiveSession) => Promise<void>): SessionPool {
  const jarOf = () => new CookieJar(clock)
  const parts = { clock, store: new SessionFile(folder), jarOf, onLoginFailed }
  const run = login && ({ run: login } as Pick<SessionLogin, 'run'> as SessionLogin)
  return new SessionPool({ ...parts, ...(run && { login: run }) }, options)
}

async function take(pool: SessionPool, wanted = A): Promise<LiveSession> {
  clock.advance(1)
  const session = await pool.acquire(wanted)
  if (session === undefined) throw new Error('no session')
  pool.release(session)
  return session
}

describe('the choice of a session', () => {
  it('is the one that the host keeps', async () => {
    const pool = open({ max: 3 })
    const first = await take(pool)
    expect(await take(pool)).toBe(first)
    expect(await take(pool, request('http://b.test/'))).toBe(first)
  })

  it('is each of the pool in turn with rotate: request', async () => {
    const pool = open({ max: 3, rotate: 'request' })
    const ids = []
    for (let i = 0; i < 6; i++) ids.push((await take(pool)).id)
    expect(new Set(ids.slice(0, 3)).size).toBe(3)
    expect(ids.slice(3)).toEqual(ids.slice(0, 3))
  })

  it('is the named session, a new one if that is wanted, and any for a name that is gone', async () => {
    const pool = open({ max: 2 })
    const first = await take(pool)
    pool.succeeded(first)
    const second = await take(pool, request('http://a.test/', 'new'))
    expect(second).not.toBe(first)
    expect(await take(pool, request('http://a.test/', first.id))).toBe(first)
    expect([first, second]).toContain(await take(pool, request('http://a.test/', 'retired-session')))
  })

  it('creates one session for requests that come together', async () => {
    const pool = open({ max: 5 })
    const sessions = await Promise.all([pool.acquire(A), pool.acquire(A), pool.acquire(A)])
    expect(new Set(sessions).size).toBe(1)
  })
})

describe('a block', () => {
  it('gives the host another session, and the first one again when that is blocked, too', async () => {
    const pool = open({ max: 2 })
    const first = await take(pool)
    pool.blocked(first, A.url)
    const second = await take(pool)
    expect(second).not.toBe(first)
    pool.blocked(second, A.url)
    expect(await take(pool)).toBe(first)
  })

  it('retires a session at the error score, from which pages subtract', async () => {
    const pool = open({ maxErrorScore: 2 })
    const session = await take(pool)
    pool.blocked(session, A.url)
    for (let i = 0; i < 2; i++) pool.succeeded(session)
    pool.blocked(session, A.url)
    expect(pool.isUsable(session)).toBe(true)
    pool.blocked(session, A.url)
    expect(pool.isUsable(session)).toBe(false)
    expect((await take(pool)).id).not.toBe(session.id)
  })

  it('is not needed to retire a session after maxRequests', async () => {
    const pool = open({ maxRequests: 2 })
    const session = await take(pool)
    pool.succeeded(session)
    pool.succeeded(session)
    expect(pool.isUsable(session)).toBe(false)
  })
})

describe('a login', () => {
  const login = vi.fn(async (session: LiveSession) => {
    session.isLoggedIn = true
    session.generation++
  })
  beforeEach(() => {
    login.mockClear()
  })

  it('runs once per session, also for requests that come together, and again after the expiry', async () => {
    const pool = open({}, login)
    const [session] = await Promise.all([pool.acquire(A), pool.acquire(A)])
    if (session === undefined) throw new Error('no session')
    expect(login).toHaveBeenCalledTimes(1)
    pool.expired(session, 0)
    expect(pool.isUsable(session)).toBe(true)
    pool.expired(session, 1)
    expect(pool.isUsable(session)).toBe(false)
    await take(pool)
    expect(login).toHaveBeenCalledTimes(2)
  })

  it('stops the run after three failures in a row', async () => {
    const pool = open({}, () => Promise.reject(new Error('wrong password')))
    expect(await runClock(clock, pool.acquire(A))).toBeUndefined()
    expect(onLoginFailed.mock.calls[0]?.[0].message).toContain('3 logins in a row failed: wrong password')
    expect(await pool.acquire(A)).toBeUndefined()
  })

  it('that is interrupted is not a failure', async () => {
    const pool = open({}, () => Promise.reject(new LoginFailed('later', { isInterrupted: true })))
    expect(await pool.acquire(A)).toBeUndefined()
    expect(onLoginFailed).not.toHaveBeenCalled()
  })
})

it('keeps its sessions over a restart, with their proxies, but not retired ones', async () => {
  const pool = open({ max: 2, maxErrorScore: 1 }, async (session) => {
    session.isLoggedIn = true
    session.generation++
    session.proxy = 'http://proxy.test:3128'
  })
  const kept = await take(pool)
  const retired = await take(pool, request('http://a.test/', 'new'))
  pool.blocked(retired, A.url)
  await pool.close()
  const again = open({ max: 2 })
  expect(await take(again)).toMatchObject({ id: kept.id, proxy: 'http://proxy.test:3128', isLoggedIn: true })
  expect((await take(again, request('http://a.test/', retired.id))).id).toBe(kept.id)
})
