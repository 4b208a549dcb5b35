import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import {
  newSession,
  readSession,
  type SessionSelection,
  type SessionState,
  type SessionStore,
} from '../../domain/frontier/session-store.ts'

/**
 * The sessions of a spider in `sessions.json` of its crawl directory, readable by its owner alone: they are logins. One process has the directory,
 * and so all sessions. A file that cannot be understood counts as none.
 */
export class SessionFile implements SessionStore {
  readonly #file: string
  #sessions: Map<string, SessionState> | undefined
  readonly #taken = new Set<string>()

  constructor(crawlDirectory: string) {
    this.#file = join(crawlDirectory, 'sessions.json')
  }

  async take({ id, isNew = false, max }: SessionSelection): Promise<SessionState | 'unknown' | undefined> {
    const sessions = await this.#load()
    if (id !== undefined) {
      const named = sessions.get(id)
      return named === undefined ? 'unknown' : this.#take(named)
    }
    const free = [...sessions.values()].find((session) => !this.#taken.has(session.id))
    if (free !== undefined && !(isNew && free.requests > 0)) return this.#take(free)
    if (sessions.size >= max) return free && this.#take(free)
    const session = newSession(randomBytes(9).toString('base64url'))
    sessions.set(session.id, session)
    return this.#take(session)
  }

  async save(states: readonly SessionState[]): Promise<readonly string[]> {
    const sessions = await this.#load()
    for (const { isRetired, ...state } of states) {
      if (isRetired === true) {
        sessions.delete(state.id)
        this.#taken.delete(state.id)
      } else sessions.set(state.id, state)
    }
    await replaceFile(this.#file, [JSON.stringify([...sessions.values()])], { mode: 0o600 })
    return []
  }

  async release(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#taken.delete(id)
  }

  #take(session: SessionState): SessionState {
    this.#taken.add(session.id)
    return session
  }

  async #load(): Promise<Map<string, SessionState>> {
    this.#sessions ??= new Map(
      readAll(await ifExists(readFile(this.#file, 'utf8'))).map((one) => [one.id, one]),
    )
    return this.#sessions
  }
}

function readAll(text: string | undefined): SessionState[] {
  try {
    const stored: unknown = text === undefined ? [] : JSON.parse(text)
    return Array.isArray(stored) ? stored.flatMap((one) => readSession(one) ?? []) : []
  } catch {
    return []
  }
}
