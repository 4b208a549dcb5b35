/**
 * The fingerprints of recently seen requests, in a fixed two megabytes. Most links of a site are on most of its pages: they are
 * dropped without a query to the store. The lowest bits of a fingerprint choose its place; a newer one replaces an older one.
 */
export class RecentFingerprints {
  readonly #places = new BigUint64Array(2 ** PLACE_BITS)

  /** Also false for a fingerprint that was replaced. */
  has(fingerprint: bigint): boolean {
    // 0 is an empty place.
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
