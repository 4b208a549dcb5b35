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

/** One crawl directory that is worked on and killed, again and again, and what the servers saw of it. */
export class Lane {
  readonly name: string
  readonly path: string
  /** What was requested although it was on the disk before the command began. There should be none. */
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

  /** Runs a command to its end; `DIR` is our directory. 0 and 1 are both well: a killed one may have done all the work already. */
  async run(args: readonly string[]): Promise<Ended> {
    const [ended] = await this.#watched(args, () => new CommandProcess(this.#command(args)).ended)
    if (ended.exitCode === 0 || ended.exitCode === 1) return ended
    throw new Error(`${args.join(' ')} ended with ${ended.exitCode}: ${ended.stdout}${ended.stderr}`)
  }

  /** Runs a command and kills it. It may have ended before; then it must have ended well. */
  async runAndKill(args: readonly string[], death: Death): Promise<void> {
    const [{ exitCode, stderr }, asked] = await this.#watched(args, async () => {
      const child = new CommandProcess(this.#command(args), 'step' in death ? death.step : 'never')
      await killWhen(child, death)
      return child.ended
    })
    if (exitCode !== null && exitCode > 1)
      throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`)
    this.#kills.count(args[0] ?? '', exitCode === null ? placeOfDeath(stderr) : undefined)
    if (exitCode === null && asked.length > 0) await this.#countLost(asked, Date.now())
  }

  #command(args: readonly string[]): string[] {
    return [
      ...args.map((arg) => (arg === 'DIR' ? this.path : arg)),
      ...(asksTheWeb(args) ? ['--header', `${LANE_HEADER}: ${this.name}`] : []),
    ]
  }

  /** Adds to `repeats`; returns also what was requested. */
  async #watched<T>(args: readonly string[], run: () => Promise<T>): Promise<[T, readonly Hit[]]> {
    if (!asksTheWeb(args)) return [await run(), []]
    const recorded = await recordedUrls(this.path)
    const before = this.#web.hitsOf(this.name).length
    const result = await run()
    const asked = this.#web.hitsOf(this.name).slice(before)
    this.repeats.push(...asked.map(({ url }) => url).filter((url) => recorded.has(url)))
    return [result, asked]
  }

  async #countLost(asked: readonly Hit[], killedAt: number): Promise<void> {
    const recorded = await recordedUrls(this.path)
    const lost = asked.filter(({ url }) => !recorded.has(url))
    this.#kills.lost(lost.map(({ at }) => killedAt - at))
  }
}

function asksTheWeb([name]: readonly string[]): boolean {
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
