import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionState } from '../../src/domain/frontier/session-store.ts'
import { type LoginSession, runSpider, type SessionsOptions, type Spider, spider } from '../../src/index.ts'
import { LoginSite, type LoginSiteOptions } from '../../testing/login-site.ts'
import { requireChromium } from '../../testing/require-chromium.ts'
import { startTunnelProxy } from '../../testing/tunnel-proxy.ts'

let site: LoginSite
let dir: string

beforeEach(async () => {
  site = await LoginSite.start()
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-sessions-'))
})
afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true })
})

async function logIn(session: LoginSession, password = 'right'): Promise<void> {
  const form = await session.fetch(`${site.origin}/login`)
  const page = await session.fetch(form.submit('form', { user: 'me', password }))
  if (page.url !== `${site.origin}/account`) throw new Error(page.text('.error'))
}

const isExpired: SessionsOptions['expired'] = (page) => page.header('location') === '/login'

function pages(options: LoginSiteOptions, sessions: SessionsOptions, more: Partial<Spider> = {}): Spider {
  site.options = options
  return spider({
    name: 'pages',
    start: [`${site.origin}/`],
    sessions,
    retry: { delaySeconds: { blocked: 0.01 } },
    settings: {
      agent: { email: 'a@b.test' },
      politeness: { delaySeconds: 0.01, backoffSeconds: 0.01 },
    },
    *parse(page) {
      yield page.item({ url: page.url, session: page.session ?? '' })
      yield* page.followAll('a')
    },
    ...more,
  })
}

const ALL = Array.from({ length: 10 }, (_, i) => i + 1)
const sentPages = () => [...new Set(site.sent)].toSorted((a, b) => a - b)

const sessionsIn = (items: readonly unknown[]) =>
  new Set(items.map((item) => (item as { readonly session: string }).session))

describe('a session', () => {
  it('chooses its own proxy, and another session replaces one whose proxy fails', async () => {
    const proxies = [await startTunnelProxy(), await startTunnelProxy()]
    try {
      const [first, second] = proxies.map(({ url }) => url)
      let logins = 0
      const login = async (session: LoginSession) => {
        await logIn(session)
        const isFirst = logins++ === 0
        session.setProxy((isFirst ? 'http://127.0.0.1:9' : logins % 2 === 0 ? first : second) ?? '')
      }
      const sessions: SessionsOptions = { max: 2, login, rotate: 'request', maxErrorScore: 1 }
      const retry = { delaySeconds: { network: 0.01, blocked: 0.01 } }
      const result = await runSpider(pages({}, sessions, { retry }))
      expect(result.stats).toMatchObject({ pages: 11, failed: {} })
      // The addresses are checked here, and the proxy gets the checked one.
      for (const { goals } of proxies) expect(new Set(goals)).toEqual(new Set(['127.0.0.1']))
      expect(sessionsIn(result.items).size).toBe(2)
    } finally {
      for (const proxy of proxies) await proxy.close()
    }
  })

  it('fails to log in with a proxy that is not one', async () => {
    const login = (session: LoginSession) => session.setProxy('ftp://me:secret@127.0.0.1')
    const failed = runSpider(pages({}, { login })).catch((error: unknown) => error)
    expect(String(await failed)).toMatch(/give an http:\/\/, https:\/\/ or socks5:\/\/ URL/)
    expect(String(await failed)).not.toContain('secret')
  })

  it('logs in once, with a form and its CSRF token, and keeps the delay of the host', async () => {
    const result = await runSpider(pages({}, { login: logIn, expired: isExpired }))
    expect(result).toMatchObject({ ended: 'finished', stats: { pages: 11 } })
    expect(site.logins.size).toBe(1)
    expect(sentPages()).toEqual(ALL)
    expect(site.judge.violations({ minGapMs: 10, maxRepeats: 0 })).toEqual([])
  })

  it('logs in again when it has expired, and requests the page again', async () => {
    const result = await runSpider(pages({ expiresAfter: 4 }, { login: logIn, expired: isExpired }))
    expect(result.stats).toMatchObject({ pages: 11, failed: {} })
    expect(sentPages()).toEqual(ALL)
    expect(site.failedLogins).toBe(0)
    expect(site.judge.hits.filter(({ method }) => method === 'POST')).toHaveLength(3)
  })

  it('downloads files behind the login, and logs in again when it has expired', async () => {
    const files = pages(
      { expiresAfter: 4 },
      { login: logIn, expired: isExpired },
      {
        *parse(page) {
          yield page.item({ url: page.url })
          yield* page.downloadAll('a', { as: 'files' })
        },
      },
    )
    const result = await runSpider(files, { dir })
    expect(result.stats).toMatchObject({ pages: 1, failed: {} })
    const downloaded = ALL.map((n) => ({ url: `${site.origin}/page/${n}`, status: 'downloaded' }))
    expect(result.items).toMatchObject([{ files: downloaded }])
    expect(site.judge.hits.filter(({ method }) => method === 'POST')).toHaveLength(3)
  })

  it.runIf(requireChromium())('is the session of rendered pages and of their scripts', async () => {
    const app = pages(
      {},
      { login: logIn, expired: isExpired },
      {
        ...{ start: [`${site.origin}/app`], render: 'always' },
        *parse(page) {
          yield page.item({ title: page.text('title'), isRendered: page.isRendered })
        },
      },
    )
    const { items } = await runSpider(app)
    expect(items).toEqual([{ title: 'Page 1', isRendered: true }])
    expect(site.logins.size).toBe(1)
  })

  it('sends a token of a JSON login as a header', async () => {
    const result = await runSpider(
      pages(
        {},
        {
          expired: isExpired,
          async login(session) {
            const reply = await session.fetch(`${site.origin}/api/login`, {
              json: { user: 'me', password: 'right' },
            })
            const { token } = reply.json() as { token: string }
            session.setHeader('Authorization', `Bearer ${token}`)
          },
        },
      ),
    )
    expect(result.stats.pages).toBe(11)
  })

  it('ends the crawl after three failed logins, and keeps its requests', async () => {
    const wrong = (session: LoginSession) => logIn(session, 'wrong')
    const failing = pages({}, { max: 5, login: wrong, expired: isExpired })
    await expect(runSpider(failing, { dir })).rejects.toMatchObject({
      code: 'LOGIN_FAILED',
      message: expect.stringContaining('3 logins in a row failed: Wrong password'),
    })
    expect(site.failedLogins).toBe(3)
    const result = await runSpider(pages({}, { login: logIn, expired: isExpired }), { dir })
    expect(result.stats.pages).toBe(11)
  }, 40_000)

  it('obeys robots.txt in its login', async () => {
    const login = async (session: LoginSession) => {
      await session.fetch(`${site.origin}/secret`)
    }
    await expect(runSpider(pages({}, { login }))).rejects.toMatchObject({
      code: 'LOGIN_FAILED',
      message: expect.stringContaining('robots.txt'),
    })
    expect(site.judge.hits.map(({ path }) => path)).toEqual(['/robots.txt'])
  }, 40_000)

  it('fails a page that looks expired after every login', async () => {
    const { stats } = await runSpider(pages({}, { login: logIn, expired: (page) => page.url.endsWith('/3') }))
    expect(stats).toMatchObject({ pages: 10, failed: { 'session-expired': 1 } })
  })
})

describe('sessions', () => {
  it.each([
    ['403', { blocksAfter: 4 }],
    ['a CAPTCHA', { captchaAfter: 4 }],
  ])('are rotated when %s blocks them', async (_, options) => {
    const sessions = { max: 3, login: logIn, expired: isExpired, maxErrorScore: 1 }
    const result = await runSpider(pages(options, sessions))
    expect(sentPages()).toEqual(ALL)
    expect(result.stats).toMatchObject({ pages: 11, failed: {} })
    expect(site.logins.size).toBeGreaterThan(2)
    expect(sessionsIn(result.items).size).toBe(3)
    expect(site.judge.violations({ minGapMs: 10, maxRepeats: 20 })).toEqual([])
  })

  it('are used in turn, and requests choose theirs', async () => {
    const result = await runSpider(
      pages(
        {},
        { max: 2, rotate: 'request', login: logIn, expired: isExpired },
        {
          *parse(page) {
            yield page.item({ url: page.url, session: page.session ?? '' })
            yield* page.followAll('a', { session: 'same' })
          },
        },
      ),
    )
    expect(sessionsIn(result.items).size).toBe(1)
    const inTurn = await runSpider(pages({}, { max: 2, rotate: 'request', login: logIn, expired: isExpired }))
    expect(sessionsIn(inTurn.items).size).toBe(2)
  })

  it('are kept over restarts, in a file that only the owner can read', async () => {
    const sessions = { login: logIn, expired: isExpired }
    await runSpider(pages({}, sessions), { dir, maxPages: 3 })
    expect(statSync(join(dir, 'sessions.json')).mode & 0o777).toBe(0o600)
    const [stored] = JSON.parse(readFileSync(join(dir, 'sessions.json'), 'utf8')) as SessionState[]
    expect(stored?.isLoggedIn).toBe(true)
    expect(stored?.cookies.map(({ name }) => name)).toContain('sid')
    const result = await runSpider(pages({}, sessions), { dir })
    expect(result.stats.pages).toBe(8)
    expect(site.logins.size).toBe(1)
  })

  it('report all mistakes together', () => {
    const wrong = { max: 0, logn: logIn, rotate: 'always' } as unknown as SessionsOptions
    expect(() => pages({}, wrong)).toThrow(
      /sessions\.max must be a whole number.*\n.*sessions\.logn: unknown name; did you mean login\?\n.*sessions\.rotate must be/,
    )
  })
})
