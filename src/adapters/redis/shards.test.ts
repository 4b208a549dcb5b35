import { describe, expect, it } from 'vitest'
import { jobKeys } from './keys.ts'
import { shardOf, shardTag, slotOf } from './shards.ts'

describe('slotOf', () => {
  // By CLUSTER KEYSLOT of Redis 7.0.15.
  it.each([
    ['', 0],
    ['123456789', 12_739],
    ['foo', 12_182],
    ['bücher', 7_410],
  ])('is the slot of Redis for %j', (tag, slot) => {
    expect(slotOf(tag)).toBe(slot)
  })
})

describe('shardTag', () => {
  it.each([
    ['books', 2],
    ['books', 8],
    ['bücher', 50],
    ['cycle-0190f7c2', 200],
    ['a', 1_024],
  ])('gives the shards of %s equal ranges of slots, with %i shards', (crawl, of) => {
    const tags = Array.from({ length: of }, (_, number) => shardTag(crawl, { number, of }))
    expect(tags[0]).toBe(crawl)
    expect(new Set(tags).size).toBe(of)
    // The same distance from the home shard as the number of the shard, give or take half a range.
    for (const [number, tag] of tags.entries()) {
      const ahead = (slotOf(tag) - slotOf(crawl) + 16_384) % 16_384
      const distance = Math.abs(ahead - (number * 16_384) / of)
      expect(Math.min(distance, 16_384 - distance)).toBeLessThanOrEqual(8_192 / of)
    }
  })
})

describe('shardOf', () => {
  it('is stable, as it decides where the data of a host is', () => {
    expect(['a.test', 'b.test', 'example.org', 'www.example.org'].map((host) => shardOf(host, 8))).toEqual([
      6, 1, 3, 5,
    ])
  })

  it('spreads hosts evenly', () => {
    const hosts = Array.from({ length: 8_000 }, (_, i) => `host${i}.example`)
    const counts = [...Map.groupBy(hosts, (host) => shardOf(host, 8)).values()].map(({ length }) => length)
    expect(counts).toHaveLength(8)
    expect(Math.min(...counts)).toBeGreaterThan(850)
    expect(Math.max(...counts)).toBeLessThan(1_150)
  })
})

describe('jobKeys of a shard', () => {
  it('are those of a crawl without shards for the home shard', () => {
    expect(jobKeys('books', true, { shard: { number: 0, of: 8 } })).toEqual(jobKeys('books', true))
  })

  it('have the tag of the shard, and are not those of a crawl whose name looks like it', () => {
    const shard = { number: 3, of: 8 }
    const tag = shardTag('books', shard)
    expect(jobKeys('books', true, { shard })).toEqual({
      base: `orbweaver:shard:{${tag}}`,
      items: `shard:{${tag}}:items`,
    })
    expect(jobKeys('books', false, { shard, items: 'mine' }).items).toBe(`shard:{${tag}}:mine`)
    expect(jobKeys(tag, true)).not.toEqual(jobKeys('books', true, { shard }))
  })
})
