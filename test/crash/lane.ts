import { existsSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { CommandProcess, type Ended } from './command-process.ts'
import { recordedUrls } from './crawl-state.ts'
import { AT_WORK } from './die-at-step.ts'
import type { KillCount } from './kill-count.ts'
import { type Hit, LANE_HEADER, type SmallWeb } from './small-web.ts'

/**
 * When to kill: so many milliseconds after the start, or after the directory was locked; or by the process's own hand (see
 * `dieAtStep`).
 */
export type Death =
  | { readonly afterStartMs: number }
  | { readonly afterLockMs: number }
  | { readonly step: string }

/** One crawl directory whose commands are killed repeatedly, and the requests that the servers received. */
export class Lane {
  readonly name: string
  readonly path: string
  /** URLs that were requested although they were on disk before the command started. Must be empty. */
  readonly repeats: string[] = []
  readonly #web: SmallWeb
  readonly #kills: KillCount

  constructor(folder: string, name: string, web: SmallWeb, kills: KillCount) {
    this.name = name
    this.path = join(folder, name)
    this.#web = web
    this.#kills = kills
  }

  /** Starts over as a copy of another crawl directory; as nothing when there is none. */
  async startFrom(path: string): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
    if (existsSync(path)) await cp(path, this.path, { recursive: true })
  }

  /** Runs a command to its end; `DIR` stands for the crawl directory. Exit codes 0 and 1 are fine: a killed command may have done all the work already. */
  async run(args: readonly string[]): Promise<Ended> {
    const [ended] = await this.#watched(args, () => new CommandProcess(this.#command(args)).ended)
    if (ended.exitCode === 0 || ended.exitCode === 1) return ended
    throw new Error(`${args.join(' ')} ended with ${ended.exitCode}: ${ended.stdout}${ended.stderr}`)
  }

  /** Runs a command and kills it. If it ends before, it must succeed. */
  async runAndKill(args: readonly string[], death: Death): Promise<void> {
    const [{ exitCode, stderr }, hits] = await this.#watched(args, async () => {
      const child = new CommandProcess(this.#command(args), 'step' in death ? death.step : 'never')
      await killWhen(child, death)
      return child.ended
    })
    if (exitCode !== null && exitCode > 1)
      throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`)
    this.#kills.count(args[0] ?? '', exitCode === null ? placeOfDeath(stderr) : undefined)
    if (exitCode === null && hits.length > 0) await this.#countLost(hits, Date.now())
  }

  #command(args: readonly string[]): string[] {
    return [
      ...args.map((arg) => (arg === 'DIR' ? this.path : arg)),
      ...(sendsRequests(args) ? ['--header', `${LANE_HEADER}: ${this.name}`] : []),
    ]
  }

  /** Adds to `repeats`; also returns the requests of the command. */
  async #watched<T>(args: readonly string[], run: () => Promise<T>): Promise<[T, readonly Hit[]]> {
    if (!sendsRequests(args)) return [await run(), []]
    const recorded = await recordedUrls(this.path)
    const before = this.#web.hitsOf(this.name).length
    const result = await run()
    const hits = this.#web.hitsOf(this.name).slice(before)
    this.repeats.push(...hits.map(({ url }) => url).filter((url) => recorded.has(url)))
    return [result, hits]
  }

  async #countLost(hits: readonly Hit[], killedAt: number): Promise<void> {
    const recorded = await recordedUrls(this.path)
    const lost = hits.filter(({ url }) => !recorded.has(url))
    this.#kills.lost(lost.map(({ at }) => killedAt - at))
  }
}

function sendsRequests([name]: readonly string[]): boolean {
  return name === 'fetch' || name === 'crawl'
}

async function killWhen(child: CommandProcess, death: Death): Promise<void> {
  if ('step' in death) return
  if ('afterLockMs' in death) await Promise.race([child.says(AT_WORK), child.ended])
  const delayMs = 'afterLockMs' in death ? death.afterLockMs : death.afterStartMs
  await Promise.race([setTimeout(delayMs), child.ended])
  child.kill('SIGKILL')
}

function placeOfDeath(stderr: string): string {
  const step = /died at \d+ (\w+)/.exec(stderr)?.[1]
  if (step !== undefined) return step
  return stderr.includes(AT_WORK) ? AT_WORK : 'start'
}
