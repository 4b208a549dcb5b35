import { Random } from './web/random.ts'

/** Pages that change at random times (a Poisson process each), at known rates. */
export interface SimulatedPages {
  readonly count: number
  /** Changes per day. */
  readonly rates: Float64Array
  /** The number of the host of each page. */
  readonly hosts: Uint32Array
  /** Whether the server sends Last-Modified with the true date: 1 or 0. */
  readonly dated: Uint8Array
}

const HOSTS = 1_000
/** Pages that practically never change. */
const STATIC_PART = 0.35
const STATIC_RATE = 1e-5
/** Pages of documents, which change a tenth as often. */
const PDF_PART = 0.1
const DATED_PART = 0.4
/** The median page of a median host changes every 20 days. */
const MEDIAN_RATE = 1 / 20

/**
 * A third of the pages never changes. The rates of the others are log-normal, with a median for each host that is log-normal, too: from several
 * times per hour to once in years.
 */
export function simulatedPages(count: number, seed: number): SimulatedPages {
  const random = new Random(seed)
  const hostFactors = Float64Array.from({ length: HOSTS }, () => Math.exp(random.normal()))
  const rates = new Float64Array(count)
  const hosts = new Uint32Array(count)
  const dated = new Uint8Array(count)
  for (let i = 0; i < count; i++) {
    const host = random.below(HOSTS)
    const kind = isPdf(i) ? 0.1 : 1
    const isStatic = random.next() < STATIC_PART
    rates[i] = isStatic
      ? STATIC_RATE
      : MEDIAN_RATE * kind * (hostFactors[host] ?? 1) * Math.exp(1.3 * random.normal())
    hosts[i] = host
    dated[i] = random.next() < DATED_PART ? 1 : 0
  }
  return { count, rates, hosts, dated }
}

export function isPdf(page: number): boolean {
  return page % (1 / PDF_PART) === 0
}
