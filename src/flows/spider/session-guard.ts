import { type BlockEvidence, blockEvidence } from '../../domain/fetch/block-evidence.ts'
import type { Page } from './handler-page.ts'
import type { LiveSession } from './live-session.ts'
import type { SessionsOptions } from './session-options.ts'
import type { SessionPool } from './session-pool.ts'
import type { CallLimit } from './time-limit.ts'

/** What a response says about its session. */
export type SessionVerdict = 'fine' | 'expired' | BlockEvidence

/** Decides about the responses of sessions, with the functions of the spider, and tells the pool. */
export class SessionGuard {
  readonly #options: SessionsOptions
  readonly #pool: SessionPool
  readonly #limit: CallLimit

  constructor(options: SessionsOptions, pool: SessionPool, limit: CallLimit) {
    this.#options = options
    this.#pool = pool
    this.#limit = limit
  }

  /**
   * @param generation of the session when the request was sent
   * @throws errors of `expired` and `blocked`
   */
  async judge(session: LiveSession, generation: number, page: Page): Promise<SessionVerdict> {
    const { expired, blocked, login } = this.#options
    const isExpired =
      expired === undefined
        ? login !== undefined && page.status === 401
        : await this.#limit.run(() => expired(page))
    if (isExpired) {
      this.#pool.expired(session, generation)
      return 'expired'
    }
    const own = blocked && (await this.#limit.run(() => blocked(page)))
    const evidence = own === true ? OWN_BLOCK : own === false ? undefined : blockEvidence(page)
    if (evidence === undefined) this.#pool.succeeded(session)
    else this.#pool.blocked(session, page.url)
    return evidence ?? 'fine'
  }
}

const OWN_BLOCK: BlockEvidence = { kind: 'forbidden', evidence: 'sessions.blocked returned true' }
