import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisServer } from '../../testing/redis-server.ts'
import { joinedProcesses } from './fleet-of-web.ts'
import { FleetWorker, type WorkerEnd } from './fleet-worker.ts'

/** How often each thing happens. */
export interface Troubles {
  /** A worker is killed, and another one takes its place. */
  readonly kill: number
  /** A worker stands still for longer than a lease: the others get what it had, and it does not know. */
  readonly longStop: number
  /** A worker stands still, but not for so long. */
  readonly shortStop: number
  /** Redis is killed, and is away for a while. */
  readonly redisKill: number
}

export interface ChaosOptions {
  readonly workers: number
  readonly troubles: Troubles
  readonly leaseMs: number
  /** 0 to 1. */
  readonly random: () => number
  /** The arguments of `orbweaver`. */
  readonly args: readonly string[]
}

/** A fleet that has trouble: whom it strikes, and when, is left to chance. */
export class Chaos {
  readonly #redis: RedisServer
  readonly #options: ChaosOptions
  readonly #workers: FleetWorker[]
  readonly #troubles: Array<keyof Troubles>
  readonly #standing = new Set<Promise<void>>()
  #started = 0

  constructor(redis: RedisServer, options: ChaosOptions) {
    this.#redis = redis
    this.#options = options
    this.#workers = Array.from({ length: options.workers }, () => this.#start())
    const { kill, longStop, shortStop, redisKill } = options.troubles
    this.#troubles = shuffled(
      [
        ...Array.from({ length: kill }, () => 'kill' as const),
        ...Array.from({ length: longStop }, () => 'longStop' as const),
        ...Array.from({ length: shortStop }, () => 'shortStop' as const),
        ...Array.from({ length: redisKill }, () => 'redisKill' as const),
      ],
      options.random,
    )
  }

  /** Processes, those that were killed included. */
  get started(): number {
    return this.#started
  }

  /** Troubles that are to come. */
  get left(): number {
    return this.#troubles.length
  }

  /** The next trouble. A worker that stands still does so while others follow. */
  async strike(): Promise<void> {
    const { leaseMs, random } = this.#options
    switch (this.#troubles.pop()) {
      case 'kill':
        await this.#kill()
        return
      case 'longStop':
        await this.#standStill(leaseMs * (1.1 + random() / 2))
        return
      case 'shortStop':
        await this.#standStill((random() * leaseMs) / 2)
        return
      case 'redisKill':
        // A process that only starts gives up when Redis is not there in time.
        await this.#allJoined()
        await this.#redis.kill()
        await sleep(random() < 0.3 ? leaseMs * 1.5 : (random() * leaseMs) / 2)
        await this.#redis.restart()
    }
  }

  /** When all workers have ended by themselves. */
  async ended(): Promise<readonly WorkerEnd[]> {
    await Promise.all(this.#standing)
    return Promise.all(this.#workers.map(({ ended }) => ended))
  }

  /** Whatever they do. */
  async killAll(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()))
  }

  #start(): FleetWorker {
    this.#started++
    return new FleetWorker(this.#options.args)
  }

  async #kill(): Promise<void> {
    const victim = await this.#victim()
    if (victim === undefined) return
    await victim.kill()
    this.#workers[this.#workers.indexOf(victim)] = this.#start()
  }

  async #standStill(ms: number): Promise<void> {
    const victim = await this.#victim()
    if (victim === undefined) return
    victim.standStill()
    const standing = sleep(ms).then(() => {
      victim.goOn()
      this.#standing.delete(standing)
    })
    this.#standing.add(standing)
  }

  async #allJoined(): Promise<void> {
    for (;;) {
      const joined = await joinedProcesses(this.#redis)
      if (this.#workers.every(({ isRunning, pid }) => !isRunning || joined.has(pid))) return
      await sleep(50)
    }
  }

  /** One that has joined, if there is: who only starts has nothing to lose. */
  async #victim(): Promise<FleetWorker | undefined> {
    const joined = await joinedProcesses(this.#redis)
    const running = this.#workers.filter(({ isRunning }) => isRunning)
    const atWork = running.filter(({ pid }) => joined.has(pid))
    const victims = atWork.length > 0 ? atWork : running
    return victims[Math.floor(this.#options.random() * victims.length)]
  }
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}
