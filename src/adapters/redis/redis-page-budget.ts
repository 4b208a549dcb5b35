import type { PageBudget, Reservation, ReservationChange } from '../../domain/frontier/page-budget.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { numberIn } from './stored-request.ts'
import { LOST, type WorkerSession } from './worker-session.ts'

/**
 * The page limit of the current run of a fleet. A run continues until no worker took part in it for a lease. The reservations of a worker
 * end with its lease: they belong to its fence.
 */
export class RedisPageBudget implements PageBudget {
  readonly #session: WorkerSession
  readonly #limit: number
  /** That the reservations belong to. `undefined`: there were none. */
  #fence: string | undefined

  constructor(session: WorkerSession, limit: number) {
    this.#session = session
    this.#limit = limit
  }

  async reserve({ pages, kept, wanted }: ReservationChange): Promise<Reservation> {
    for (;;) {
      await this.#session.join()
      const { fence } = this.#session
      const isLost = this.#fence !== undefined && this.#fence !== fence
      const numbers = [this.#limit, pages, ...(isLost ? [0, 0] : [kept, wanted])].map(String)
      const args = [...numbers, this.#fence === undefined ? '' : 'again']
      const reply = await this.#session.call(SCRIPTS.reservePages, args, fence)
      if (reply === LOST) continue
      this.#fence = fence
      const [reserved, left] = String(reply).split(' ').map(numberIn)
      return { reserved: reserved ?? 0, left: left ?? 0, isLost }
    }
  }
}
