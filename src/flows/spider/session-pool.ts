import type { Clock } from '../../base/clock.ts'
import { wait } from '../../base/clock.ts'
import { LruMap } from '../../base/lru-map.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { SessionJar, SessionState, SessionStore } from '../../domain/frontier/session-store.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { LiveSession } from './live-session.ts'
import { LoginFailed, type SessionLogin } from './session-login.ts'
import type { SessionsOptions } from './session-options.ts'

export interface SessionPoolParts {
  readonly clock: Clock
  readonly store: SessionStore
  /** A jar with these cookies. */
  readonly jarOf: (cookies: SessionState['cookies']) => SessionJar
  /** Absent: the sessions need no login. */
  readonly login?: SessionLogin
  /** Called when logins fail again and again: more of them could lock the account. */
  readonly onLoginFailed: (error: LoginFailed) => void
}

/** A blocked session is not used for that host for this long, if there is another. */
const BLOCK_MS = 600_000
const MAX_HOSTS = 10_000
/** In a fleet, a session that is idle for this long may be taken by another worker. */
const IDLE_MS = 2_000
const MAX_LOGIN_FAILURES = 3
const LOGIN_PAUSE_MS = 2_000

/** The sessions that this process has: chooses one for each request, logs it in, and retires those that are blocked. */
export class SessionPool {
  readonly #parts: SessionPoolParts
  readonly #options: SessionsOptions
  readonly #held = new Map<string, LiveSession>()
  /** The session that a host keeps. */
  readonly #byHost = new LruMap<string, string>(MAX_HOSTS)
  /** `host session` → until when it is blocked there. */
  readonly #blocks = new LruMap<string, number>(MAX_HOSTS)
  #turn: Promise<unknown> = Promise.resolve()
  #saving: Promise<void> = Promise.resolve()
  #loginFailures = 0
  readonly #end = new AbortController()

  constructor(parts: SessionPoolParts, options: SessionsOptions) {
    this.#parts = parts
    this.#options = options
  }

  /** A session for the request, logged in; `undefined`: none now, because other workers have them or the run ends. Call `release` after the request. */
  async acquire(request: CrawlRequest): Promise<LiveSession | undefined> {
    const host = hostOf(request.url)
    while (!this.#end.signal.aborted) {
      // One at a time: requests that come together would each create a session.
      const choosing = this.#turn.then(() => this.#choose(request, host))
      this.#turn = choosing.catch(() => {})
      const session = await choosing
      if (session === undefined) return undefined
      session.inUse++
      session.usedAt = this.#parts.clock.now()
      const login = await this.#logIn(session)
      if (login === 'done') return session
      this.release(session)
      if (login === 'interrupted') return undefined
    }
    return undefined
  }

  /** Whether the session may still send a request: it may have been retired, or have expired, while the request waited. */
  isUsable(session: LiveSession): boolean {
    const isHeld = this.#held.get(session.id) === session && this.#parts.clock.now() < this.#heldUntil
    const needsLogin = this.#parts.login !== undefined && !session.isLoggedIn
    return isHeld && !session.isRetired && !needsLogin
  }

  release(session: LiveSession): void {
    session.inUse--
    session.usedAt = this.#parts.clock.now()
  }

  /** A request of the session brought a page. */
  succeeded(session: LiveSession): void {
    session.errorScore = Math.max(0, session.errorScore - 0.5)
    session.requests++
    if (session.requests >= (this.#options.maxRequests ?? Number.POSITIVE_INFINITY)) this.#retire(session)
  }

  /** The host blocks the session: the next request of the host takes another one. */
  blocked(session: LiveSession, url: string): void {
    const host = hostOf(url)
    session.errorScore++
    session.requests++
    if (this.#byHost.get(host) === session.id) this.#byHost.delete(host)
    this.#blocks.set(`${host} ${session.id}`, this.#parts.clock.now() + BLOCK_MS)
    if (session.errorScore >= (this.#options.maxErrorScore ?? 3)) this.#retire(session)
  }

  /** @param generation of the session when the request was sent */
  expired(session: LiveSession, generation: number): void {
    if (session.generation === generation) session.isLoggedIn = false
  }

  /** Stores all changes. To be called before pages are stored: the login of a stored page must not be lost. */
  save(): Promise<void> {
    const changed = () => [...this.#held.values()].filter((session) => session.isChanged)
    if (changed().length === 0) return this.#saving
    this.#saving = this.#saving.catch(() => {}).then(() => this.#saveAll(changed()))
    return this.#saving
  }

  /** To be called every second: renews the lease, and lets other workers take idle sessions. */
  async tick(): Promise<void> {
    const { clock, store } = this.#parts
    if (store.heldUntil === undefined || this.#held.size === 0) return
    await this.#saveAll([...this.#held.values()].filter((session) => session.isChanged))
    const now = clock.now()
    const idle = [...this.#held.values()].filter(
      ({ inUse, usedAt, login }) => inUse === 0 && login === undefined && now - usedAt > IDLE_MS,
    )
    await this.#giveBack(idle)
  }

  /** No more sessions are given out. */
  stop(): void {
    this.#end.abort()
  }

  async close(): Promise<void> {
    this.stop()
    await this.save()
    await this.#giveBack([...this.#held.values()])
  }

  get #heldUntil(): number {
    return this.#parts.store.heldUntil ?? Number.POSITIVE_INFINITY
  }

  async #choose({ session: wanted }: CrawlRequest, host: string): Promise<LiveSession | undefined> {
    if (wanted !== undefined && wanted !== 'new') {
      const named = this.#healthy(this.#held.get(wanted)) ?? (await this.#take({ id: wanted }))
      // A session that was retired is replaced by another one.
      if (named !== 'unknown') return named
    }
    const kept = wanted === 'new' ? undefined : this.#kept(host)
    const session = kept ?? (await this.#other(host, wanted === 'new'))
    if (session !== undefined && wanted !== 'new') this.#byHost.set(host, session.id)
    return session
  }

  #kept(host: string): LiveSession | undefined {
    if (this.#options.rotate === 'request') return undefined
    return this.#healthy(this.#held.get(this.#byHost.get(host) ?? ''))
  }

  async #other(host: string, isNew: boolean): Promise<LiveSession | undefined> {
    const now = this.#parts.clock.now()
    const isFree = ({ id }: LiveSession) => (this.#blocks.get(`${host} ${id}`) ?? 0) <= now
    const healthy = [...this.#held.values()].filter((session) => !session.isRetired)
    const byUse = healthy.toSorted((a, b) => a.usedAt - b.usedAt)
    const free = byUse.find(isFree)
    // With rotation, the pool is filled before a session is used again.
    if (free !== undefined && !isNew && this.#options.rotate !== 'request') return free
    const taken = await this.#take(isNew ? { isNew } : {})
    if (taken !== undefined && taken !== 'unknown') return taken
    return free ?? byUse[0]
  }

  async #take(wish: { id?: string; isNew?: boolean }): Promise<LiveSession | 'unknown' | undefined> {
    const { store, jarOf } = this.#parts
    // The places of retired sessions are free when they are saved.
    await this.save()
    const state = await store.take({ ...wish, max: this.#options.max ?? 1 })
    if (state === undefined || state === 'unknown') return state
    const session = new LiveSession(state, jarOf(state.cookies))
    this.#held.set(session.id, session)
    return session
  }

  #healthy(session: LiveSession | undefined): LiveSession | undefined {
    return session?.isRetired === false ? session : undefined
  }

  #retire(session: LiveSession): void {
    session.isRetired = true
  }

  /** `failed`: another session is to be chosen. */
  async #logIn(session: LiveSession): Promise<'done' | 'failed' | 'interrupted'> {
    const { login } = this.#parts
    if (login === undefined || session.isLoggedIn) return 'done'
    session.login ??= login.run(session).finally(() => {
      session.login = undefined
    })
    try {
      await session.login
      this.#loginFailures = 0
      return 'done'
    } catch (error) {
      const isInterrupted = error instanceof LoginFailed && error.isInterrupted
      if (isInterrupted || this.#end.signal.aborted) return 'interrupted'
      await this.#loginFailed(session, error)
      return 'failed'
    }
  }

  async #loginFailed(session: LiveSession, error: unknown): Promise<void> {
    // Requests that waited for the same login fail together.
    if (session.isRetired) return
    this.#retire(session)
    if (++this.#loginFailures >= MAX_LOGIN_FAILURES) {
      this.stop()
      this.#parts.onLoginFailed(LoginFailed.after(this.#loginFailures, error))
      return
    }
    await this.save()
    await wait(this.#parts.clock, LOGIN_PAUSE_MS * this.#loginFailures, this.#end.signal)
  }

  async #saveAll(sessions: readonly LiveSession[]): Promise<void> {
    const lost = await this.#parts.store.save(sessions.map((session) => session.state()))
    for (const id of lost) this.#held.delete(id)
    for (const { id, isRetired } of sessions) if (isRetired) this.#held.delete(id)
  }

  async #giveBack(sessions: readonly LiveSession[]): Promise<void> {
    if (sessions.length === 0) return
    const changed = sessions.filter((session) => session.isChanged)
    if (changed.length > 0) await this.#saveAll(changed)
    for (const { id } of sessions) this.#held.delete(id)
    await this.#parts.store.release(sessions.map(({ id }) => id))
  }
}
