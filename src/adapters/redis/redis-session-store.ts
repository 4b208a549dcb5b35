import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import {
  newSession,
  readSession,
  type SessionSelection,
  type SessionState,
  type SessionStore,
} from '../../domain/frontier/session-store.ts'
import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { parseJson } from './stored-request.ts'

/** The lease counts as over this long before Redis ends it: a request that is sent now is still being sent then. */
const MARGIN = 0.25

/**
 * The sessions of a crawl in Redis. Each belongs to one worker at a time, by a lease that `save` renews; those of a worker that was killed are free
 * when its lease ends. They are in the home shard of the crawl: sessions are not of a host, and are few.
 */
export class RedisSessionStore implements SessionStore {
  readonly #connection: Pick<RedisConnection, 'run'>
  readonly #base: string
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #owner = randomBytes(12).toString('base64url')
  readonly #held = new Set<string>()
  #heldUntil = 0

  constructor(connection: Pick<RedisConnection, 'run'>, { base }: JobKeys, clock: Clock, leaseMs: number) {
    this.#connection = connection
    this.#base = base
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  get heldUntil(): number {
    return this.#heldUntil
  }

  async take({ id, isNew = false, max }: SessionSelection): Promise<SessionState | 'unknown' | undefined> {
    const startedAt = this.#clock.now()
    const created = newSession(randomBytes(9).toString('base64url'))
    const reply = String(
      await this.#connection.run(
        SCRIPTS.takeSession,
        [this.#base],
        [
          ...[this.#owner, String(this.#leaseMs), id ?? (isNew ? 'new' : ''), String(max)],
          ...[created.id, JSON.stringify(created)],
        ],
      ),
    )
    if (reply === '' || reply === 'unknown') return reply === '' ? undefined : 'unknown'
    const state = readSession(parseJson(reply))
    // Another program damaged it: its place is filled by the next call.
    if (state === undefined) return undefined
    if (this.#held.size === 0) this.#heldUntil = this.#until(startedAt)
    this.#held.add(state.id)
    return state
  }

  async save(states: readonly SessionState[]): Promise<readonly string[]> {
    if (this.#held.size === 0) return []
    const startedAt = this.#clock.now()
    const changed = new Map(states.map((state) => [state.id, state]))
    const sessions = [...this.#held].flatMap((id) => {
      const { isRetired = false, ...state } = changed.get(id) ?? { id }
      if (isRetired) return ['retire', id, '']
      return ['keep', id, changed.has(id) ? JSON.stringify(state) : '']
    })
    const lost = await this.#keep(sessions)
    for (const { id, isRetired } of states) if (isRetired === true) this.#held.delete(id)
    this.#heldUntil = this.#until(startedAt)
    return lost
  }

  async release(ids: readonly string[]): Promise<void> {
    const held = ids.filter((id) => this.#held.delete(id))
    if (held.length > 0) await this.#keep(held.flatMap((id) => ['free', id, '']))
  }

  async #keep(sessions: readonly string[]): Promise<readonly string[]> {
    const args = [this.#owner, String(this.#leaseMs), ...sessions]
    const reply = (await this.#connection.run(SCRIPTS.keepSessions, [this.#base], args)) as readonly unknown[]
    const lost = reply.map(String)
    for (const id of lost) this.#held.delete(id)
    return lost
  }

  #until(startedAt: number): number {
    return startedAt + this.#leaseMs * (1 - MARGIN)
  }
}
