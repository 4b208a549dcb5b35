import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisServer } from '../../testing/redis-server.ts'
import { joinedProcesses } from './fleet-of-web.ts'
import { FleetWorker, type WorkerEnd } from './fleet-worker.ts'

/** How often each failure happens. */
export interface Troubles {
  /** A worker is killed, and another one takes its place. */
  readonly kill: number
  /** A worker is suspended for longer than a lease: the others get its hosts, and it does not notice. */
  readonly longStop: number
  /** A worker is suspended for less than a lease. */
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

/** A fleet whose processes are killed and suspended at random. */
export class Chaos {
  readonly #redis: RedisServer
  readonly #options: ChaosOptions
  readonly #workers: FleetWorker[]
  readonly #troubles: Array<keyof Troubles>
  readonly #suspensions = new Set<Promise<void>>()
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

  /** Number of processes, including killed ones. */
  get started(): number {
    return this.#started
  }

  /** Failures that have not happened yet. */
  get left(): number {
    return this.#troubles.length
  }

  /** Causes the next failure. A suspended worker stays so during the following ones. */
  async strike(): Promise<void> {
    const { leaseMs, random } = this.#options
    switch (this.#troubles.pop()) {
      case 'kill':
        await this.#kill()
        return
      case 'longStop':
        await this.#suspend(leaseMs * (1.1 + random() / 2))
        return
      case 'shortStop':
        await this.#suspend((random() * leaseMs) / 2)
        return
      case 'redisKill':
        // A process that is starting fails if Redis is not there in time.
        await this.#allJoined()
        await this.#redis.kill()
        await sleep(random() < 0.3 ? leaseMs * 1.5 : (random() * leaseMs) / 2)
        await this.#redis.restart()
    }
  }

  /** Resolves when all workers have exited by themselves. */
  async ended(): Promise<readonly WorkerEnd[]> {
    await Promise.all(this.#suspensions)
    return Promise.all(this.#workers.map(({ ended }) => ended))
  }

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

  async #suspend(ms: number): Promise<void> {
    const victim = await this.#victim()
    if (victim === undefined) return
    victim.suspend()
    const suspension = sleep(ms).then(() => {
      victim.resume()
      this.#suspensions.delete(suspension)
    })
    this.#suspensions.add(suspension)
  }

  async #allJoined(): Promise<void> {
    for (;;) {
      const joined = await joinedProcesses(this.#redis)
      if (this.#workers.every(({ isRunning, pid }) => !isRunning || joined.has(pid))) return
      await sleep(50)
    }
  }

  /** A worker that has joined, if there is one: a starting one has nothing to lose. */
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
