import { ConfigurationError } from '../../base/crawl-error.ts'
import { fingerprint64 } from '../../domain/url/fingerprint.ts'

/** One of the parts of a crawl that is split by host. Number 0 is the home shard, which also has what concerns the whole crawl. */
export interface Shard {
  readonly number: number
  /** Number of shards of the crawl. */
  readonly of: number
}

/** More would only cost calls: a worker talks to every shard. */
export const MAX_SHARDS = 1_024

/** The number of the shard that has a host, or another name. All processes compute the same. */
export function shardOf(name: string, shards: number): number {
  return shards === 1 ? 0 : Number(fingerprint64(name) % BigInt(shards))
}

/**
 * The hash tag of a shard. That of the home shard is the name of the crawl. The slots of the others follow at equal distances, so that nodes
 * with equal ranges of slots get equal numbers of shards.
 */
export function shardTag(crawl: string, { number, of }: Shard): string {
  if (number === 0) return crawl
  const start = `${crawl}:${number}.`
  const sum = crc16(start)
  const wanted = slotOf(crawl) + (number * SLOTS) / of
  for (let i = 0; ; i++) {
    const distance = Math.abs(((crc16(String(i), sum) % SLOTS) - wanted) % SLOTS)
    if (Math.min(distance, SLOTS - distance) <= SLOTS / of / 2) return start + i
  }
}

/** @param shards those that the crawl has */
export function wrongShards(wanted: number, shards: number): ConfigurationError {
  return new ConfigurationError(
    'CRAWL_MISMATCH',
    `this crawl was created with ${shards === 1 ? '1 shard' : `${shards} shards`}, not ${wanted}, and the number cannot be changed: leave out --shards and redis.shards, or start another crawl (run --job <name>)`,
  )
}

/** The slot in which a Redis Cluster keeps the keys of a hash tag. */
export function slotOf(tag: string): number {
  return crc16(tag) % SLOTS
}

const SLOTS = 16_384

/** CRC-16/XMODEM, as the specification of Redis Cluster has it. @param start the sum of the text before */
function crc16(text: string, start = 0): number {
  let sum = start
  for (const byte of Buffer.from(text)) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ (sum & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return sum
}
