/**
 * The fingerprints of requests that were seen lately, in a fixed two megabytes. Most links of a site are on most of its pages: they can be
 * dropped without asking anybody. A place is decided by the lowest bits of a fingerprint, and the newest keeps it.
 */
export class RecentFingerprints {
  readonly #places = new BigUint64Array(2 ** PLACE_BITS)

  /** False also for one that was pushed out. */
  has(fingerprint: bigint): boolean {
    // Nought is an empty place.
    return fingerprint !== 0n && this.#places[placeOf(fingerprint)] === fingerprint
  }

  add(fingerprint: bigint): void {
    this.#places[placeOf(fingerprint)] = fingerprint
  }
}

const PLACE_BITS = 18

function placeOf(fingerprint: bigint): number {
  return Number(BigInt.asUintN(PLACE_BITS, fingerprint))
}
