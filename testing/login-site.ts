import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { steadyClock } from '../src/base/clock.ts'
import { Judge } from './judge.ts'

export interface LoginSiteOptions {
  /** Numbered pages, `/page/1` and so on. @default 10 */
  readonly pages?: number
  /** Pages that a login is good for; after that, pages redirect to the login. @default no limit */
  readonly expiresAfter?: number
  /** Pages that a login gets until the site returns 403 to it. @default no limit */
  readonly blocksAfter?: number
  /** Pages that a login gets until the site returns a CAPTCHA page with status 200. @default no limit */
  readonly captchaAfter?: number
}

interface Login {
  pages: number
  /** User-Agents of the requests in progress. */
  readonly inFlight: string[]
}

/** A site with a login form that has a CSRF token, a JSON login, expiry and blocks by session, on 127.0.0.1. */
export class LoginSite {
  readonly judge = new Judge(steadyClock)
  readonly origin: string
  /** By the value of the cookie, or the token. */
  readonly logins = new Map<string, Login>()
  /** Times that two crawlers with different User-Agents used one login at once. */
  overlaps = 0
  failedLogins = 0
  /** Awaited before each page is sent. */
  hold = (): Promise<void> | undefined => undefined
  /** Pages sent, by number. */
  readonly sent: number[] = []
  options: LoginSiteOptions
  readonly #servers: readonly Server[]
  readonly #tokens = new Map<string, string>()

  /** That of each of its hosts. */
  readonly origins: readonly string[]

  private constructor(servers: readonly [Server, ...Server[]], options: LoginSiteOptions) {
    this.#servers = servers
    this.options = options
    const port = portOf(servers[0])
    this.origin = `http://127.0.0.1:${port}`
    this.origins = servers.map((_, i) => `http://127.0.0.${i + 1}:${port}`)
    for (const server of servers)
      server.on('request', (request, response) => void this.#handle(request, response))
  }

  /** @param hosts number of addresses from 127.0.0.1 on */
  static async start(options: LoginSiteOptions = {}, hosts = 1): Promise<LoginSite> {
    const first = await listen(0, '127.0.0.1')
    const others = Array.from({ length: hosts - 1 }, (_, i) => listen(portOf(first), `127.0.0.${i + 2}`))
    return new LoginSite([first, ...(await Promise.all(others))], options)
  }

  /** Ends all logins, as a site does that is restarted. */
  expireAll(): void {
    this.logins.clear()
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request
    const hit = this.judge.started({
      ...{ host: headers.host ?? '', address: '127.0.0.1', path, method },
      userAgent: headers['user-agent'] ?? '',
    })
    response.on('close', () => this.judge.ended(hit, { status: response.statusCode }))
    const body = Buffer.concat(await request.toArray()).toString()
    const end = (status: number, text: string, more: Record<string, string> = {}): void => {
      this.judge.ended(hit, { status })
      response.writeHead(status, { 'content-type': 'text/html', ...more }).end(text)
    }
    if (path === '/robots.txt') end(200, 'User-agent: *\nDisallow: /secret\n')
    else if (path === '/login' && method === 'GET') this.#form(end)
    else if (path === '/login') this.#logIn(cookieOf(headers.cookie, 'pre'), new URLSearchParams(body), end)
    else if (path === '/api/login') {
      const { user, password } = JSON.parse(body) as { user: string; password: string }
      if (user === 'me' && password === 'right') end(200, JSON.stringify({ token: this.#newLogin() }))
      else end(401, '{}')
    } else if (path === '/account') end(200, '<title>Welcome</title>')
    else await this.#page(path, tokenOf(headers), headers['user-agent'] ?? '', end)
  }

  #form(end: End): void {
    const pre = randomBytes(6).toString('hex')
    const token = randomBytes(6).toString('hex')
    this.#tokens.set(pre, token)
    end(
      200,
      `<title>Log in</title><form method="post" action="/login"><input type="hidden" name="csrf" value="${token}"><input name="user"><input name="password" type="password"><button>Go</button></form>`,
      { 'set-cookie': `pre=${pre}; Path=/` },
    )
  }

  #logIn(pre: string, fields: URLSearchParams, end: End): void {
    const isGood =
      this.#tokens.get(pre) === fields.get('csrf') &&
      fields.get('user') === 'me' &&
      fields.get('password') === 'right'
    if (!isGood) {
      this.failedLogins++
      end(200, '<title>Log in</title><p class="error">Wrong password</p>')
      return
    }
    this.#tokens.delete(pre)
    end(302, '', { location: '/account', 'set-cookie': `sid=${this.#newLogin()}; Path=/; HttpOnly` })
  }

  #newLogin(): string {
    const id = randomBytes(6).toString('hex')
    this.logins.set(id, { pages: 0, inFlight: [] })
    return id
  }

  async #page(path: string, token: string, agent: string, end: End): Promise<void> {
    const { pages = 10, expiresAfter, blocksAfter, captchaAfter } = this.options
    const login = this.logins.get(token)
    if (login === undefined) return end(302, '', { location: '/login' })
    if (login.inFlight.some((other) => other !== agent)) this.overlaps++
    login.inFlight.push(agent)
    await this.hold()
    await new Promise((resolve) => setTimeout(resolve, 5))
    login.inFlight.splice(login.inFlight.indexOf(agent), 1)
    if (login.pages >= (expiresAfter ?? Number.POSITIVE_INFINITY)) {
      this.logins.delete(token)
      return end(302, '', { location: '/login' })
    }
    if (login.pages >= (blocksAfter ?? Number.POSITIVE_INFINITY)) return end(403, 'blocked')
    if (login.pages >= (captchaAfter ?? Number.POSITIVE_INFINITY))
      return end(200, '<title>Are you a robot?</title><div class="g-recaptcha"></div>')
    login.pages++
    if (path === '/app') return end(200, APP)
    const n = Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? 0)
    if (n > 0) this.sent.push(n)
    const links = Array.from({ length: pages }, (_, i) => `<a href="/page/${i + 1}">${i + 1}</a>`)
    end(200, `<title>Page ${n}</title>${n === 0 ? links.join(' ') : ''}`)
  }
}

/** Its script requests a page behind the login. */
const APP = `<title>Loading</title><div id="root"></div><script>
  fetch('/page/1').then((response) => response.text()).then((html) => { document.documentElement.innerHTML = html })
</script>`

async function listen(port: number, address: string): Promise<Server> {
  const server = createServer().listen(port, address)
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

type End = (status: number, text: string, more?: Record<string, string>) => void

function cookieOf(cookies: string | undefined, name: string): string {
  return new RegExp(`(?:^|; )${name}=(\\w+)`).exec(cookies ?? '')?.[1] ?? ''
}

function tokenOf({ cookie, authorization }: IncomingMessage['headers']): string {
  return /^Bearer (\w+)$/.exec(authorization ?? '')?.[1] ?? cookieOf(cookie, 'sid')
}
