import type { CrawlRequest } from '../src/domain/frontier/crawl-request.ts'
import type { LeasedRequest } from '../src/domain/frontier/frontier.ts'
import type { Settlement } from '../src/domain/frontier/settlement.ts'
import type { RedisServer } from '../testing/redis-server.ts'

/** Links of a page, where a benchmark has some. */
export const LINKS = 10

export function requests(from: number, count: number, hosts: number): CrawlRequest[] {
  return Array.from({ length: count }, (_, i) => requestOf(from + i, hosts))
}

function requestOf(i: number, hosts: number): CrawlRequest {
  const host = `www.host${i % hosts}.example`
  return {
    url: `https://${host}/some/path/of/page-${i}.html`,
    handler: 'parse',
    depth: 3,
    from: `https://${host}/`,
  }
}

/** Of its links, three in five lead to pages that are known. */
export function settlementOf({ id, request: { url } }: LeasedRequest, links: number): Settlement {
  const n = Number(/(\d+)\.html/.exec(url)?.[1])
  return {
    id,
    end: { kind: 'done' },
    requests: Array.from({ length: links }, (_, k) =>
      requestOf(k % 5 < 3 ? (n * 7 + k) % 10_000 : 10_000_000 + n * LINKS + k, 1000),
    ),
    items: [{ title: `page ${n}`, price: n }],
    rejected: [],
  }
}

export async function usedMemory(server: RedisServer): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await server.command('info', 'memory'))?.[1])
}

/** The processor time that a Redis has used, of the user and of the system. */
export async function cpuSeconds(server: RedisServer): Promise<number> {
  const info = await server.command('info', 'cpu')
  const read = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1])
  return read('used_cpu_user') + read('used_cpu_sys')
}
