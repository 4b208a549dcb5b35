import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { shardOf, shardTag, slotOf } from '../../src/adapters/redis/shards.ts'
import { hostOf } from '../../src/domain/url/host-of.ts'
import { moveSlot, ownerOf } from '../../testing/move-slot.ts'
import { type RedisCluster, type RedisServer, startRedisCluster } from '../../testing/redis-server.ts'
import { urlsIn } from '../fleet/fleet-of-web.ts'
import { FleetWorker, type WorkerEnd } from '../fleet/fleet-worker.ts'

/** Short, as after a failover no host is handed out for two thirds of it. */
const LEASE_SECONDS = 6
const SHARDS = 8

/** Workers of one crawl in a cluster of three primaries with replicas. */
export class ClusterCrawl {
  readonly cluster: RedisCluster
  readonly #crawl: string
  readonly #folder: string
  readonly #args: readonly string[]
  readonly #workers: FleetWorker[] = []

  /** @param spider a module and the name of its function that makes a spider from seeds */
  static async start(
    crawl: string,
    spider: { readonly module: string; readonly make: string },
    seeds: readonly string[],
  ): Promise<ClusterCrawl> {
    const cluster = await startRedisCluster({ replicas: true })
    return new ClusterCrawl(cluster, crawl, spider, seeds)
  }

  private constructor(
    cluster: RedisCluster,
    crawl: string,
    { module, make }: { readonly module: string; readonly make: string },
    seeds: readonly string[],
  ) {
    this.cluster = cluster
    this.#crawl = crawl
    this.#folder = mkdtempSync(join(tmpdir(), 'orbweaver-cluster-'))
    const file = join(this.#folder, 'spider.ts')
    const source = pathToFileURL(module).href
    writeFileSync(
      file,
      `import { ${make} } from '${source}'\nexport default ({ seeds }) => ${make}(seeds.split(' '))\n`,
    )
    const config = join(this.#folder, 'config.json')
    // Error responses of the test sites must not pause their hosts.
    const politeness = { threads: 4, maxFailures: false }
    writeFileSync(config, JSON.stringify({ politeness, redis: { leaseSeconds: LEASE_SECONDS } }))
    const run = ['run', file, '--config', config, '--redis', cluster.address, '--shards', String(SHARDS)]
    this.#args = [...run, '--arg', `seeds=${seeds.join(' ')}`]
  }

  addWorkers(count: number): void {
    for (let i = 0; i < count; i++) this.#workers.push(new FleetWorker(this.#args))
  }

  /** Kills a worker, as a power failure would, and starts another one. */
  async replaceWorker(): Promise<void> {
    await this.#workers.shift()?.kill()
    this.addWorkers(1)
  }

  /** Kills the primary that has a shard, and resolves when its replica has taken over. */
  async killPrimaryOf(shard: number): Promise<RedisServer> {
    const slot = this.slotOf(shard)
    const primary = await ownerOf(this.cluster, slot)
    await primary.kill()
    for (let tries = 0; tries < 400; tries++) {
      const owner = await ownerOf(this.cluster, slot).catch(() => primary)
      if (owner !== primary) return primary
      await sleep(50)
    }
    throw new Error('no replica took over')
  }

  /** Moves a shard to another primary. */
  async moveShard(shard: number): Promise<void> {
    const slot = this.slotOf(shard)
    const from = await ownerOf(this.cluster, slot)
    const others = await Promise.all([0, 4_000, 8_000, 12_000, 16_000].map((n) => ownerOf(this.cluster, n)))
    const to = others.find((node) => node !== from)
    if (to === undefined) throw new Error('there is no other primary')
    await moveSlot(this.cluster, slot, to)
    expect(await ownerOf(this.cluster, slot)).toBe(to)
  }

  /** The shard that has the host of a URL. */
  shardOf(url: string): number {
    return shardOf(hostOf(url), SHARDS)
  }

  slotOf(shard: number): number {
    return slotOf(shardTag(this.#crawl, { number: shard, of: SHARDS }))
  }

  ended(): Promise<readonly WorkerEnd[]> {
    return Promise.all(this.#workers.map(({ ended }) => ended))
  }

  /** The sorted URLs of all items. */
  async items(): Promise<string[]> {
    const file = join(this.#folder, 'items.jsonl')
    await this.command('items', '--out', file)
    return urlsIn(readFileSync(file, 'utf8'))
  }

  /** The sorted URLs of the dead letters, with their codes. */
  async failures(): Promise<string[]> {
    const { failed } = JSON.parse(await this.command('failed', '--json')) as {
      failed: ReadonlyArray<{ readonly code: string; readonly request: { readonly url: string } }>
    }
    return failed.map(({ code, request }) => `${request.url} ${code}`).sort()
  }

  /** The output of a command for this crawl. */
  async command(name: string, ...args: readonly string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await new FleetWorker([
      ...[name, this.#crawl, '--redis', this.cluster.address],
      ...args,
    ]).ended
    expect([0, 1], stderr).toContain(exitCode)
    return stdout
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()))
    await this.cluster.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
