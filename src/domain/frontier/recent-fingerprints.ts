const PLACE_BITS = 18

/**
 * The fingerprints of recently seen requests, in a fixed two megabytes. Most links of a site are on most of its pages: they are
 * dropped without a query to the store. The lowest bits of a fingerprint choose its place; a newer one replaces an older one.
 */
export class RecentFingerprints {
  readonly #places: BigUint64Array

  /**
   * @param memory of another instance, in another thread: both have the same fingerprints, if one of them adds. A value that is read while it
   * is replaced may be half old and half new; it equals a third fingerprint as rarely as two URLs share one. @default its own
   */
  constructor(
    memory: SharedArrayBuffer = new SharedArrayBuffer(BigUint64Array.BYTES_PER_ELEMENT << PLACE_BITS),
  ) {
    this.#places = new BigUint64Array(memory)
  }

  get memory(): SharedArrayBuffer {
    return this.#places.buffer as SharedArrayBuffer
  }

  /** Also false for a fingerprint that was replaced. */
  has(fingerprint: bigint): boolean {
    // 0 is an empty place.
    return fingerprint !== 0n && this.#places[placeOf(fingerprint)] === fingerprint
  }

  add(fingerprint: bigint): void {
    this.#places[placeOf(fingerprint)] = fingerprint
  }
}

function placeOf(fingerprint: bigint): number {
  return Number(BigInt.asUintN(PLACE_BITS, fingerprint))
}
