/**
 * The page limit of a run, for all workers of the run together. A worker reserves a page before it sends the request, so pages and
 * reservations are never more than the limit. The reservations of a worker that is lost expire.
 */
export interface PageBudget {
  /** Reports pages, and changes the number of reservations. One call at a time. */
  reserve(change: ReservationChange): Promise<Reservation>
}

export interface ReservationChange {
  /** Pages since the last call. Their reservations have ended. */
  readonly pages: number
  /** Reservations that are in use: these stay, and all others end. */
  readonly kept: number
  /** Reservations that the worker can use, including `kept`. */
  readonly wanted: number
}

export interface Reservation {
  /** Reservations of this worker: from `kept` to `wanted`. After a loss: 0. */
  readonly reserved: number
  /** Pages until the limit is reached, including reserved ones. 0: it is reached. */
  readonly left: number
  /** The earlier reservations had expired and may belong to other workers: pages that are fetched under them must not be stored. */
  readonly isLost: boolean
}

/** The page limit of a run in one process. */
export class LocalPageBudget implements PageBudget {
  readonly #limit: number
  #pages = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  async reserve({ pages, kept, wanted }: ReservationChange): Promise<Reservation> {
    this.#pages += pages
    const left = Math.max(0, this.#limit - this.#pages)
    return { reserved: Math.max(kept, Math.min(wanted, left)), left, isLost: false }
  }
}
