import { mkdir, open, rm } from 'node:fs/promises'
import { CrawlNotRunning, OwnerGone } from '../../adapters/crawl-directory/control/control-error.ts'
import { findLiveCrawl } from '../../adapters/crawl-directory/control/remote-live-crawl.ts'
import { CrawlDirectoryLocked } from '../../adapters/crawl-directory/crawl-directory-error.ts'
import type {
  ActionResult,
  ControlJob,
  ControlledCrawl,
  Injected,
  InjectRequest,
  NewCrawl,
  StartLimits,
} from '../../adapters/serve/control/control-schemas.ts'
import { ControlRefused, type CrawlManager } from '../../adapters/serve/control/crawl-manager.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { JsonObject } from '../../base/json.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { LiveReport } from '../../domain/live/live-report.ts'
import { openCrawl } from '../open-crawl.ts'
import { apiPart, checkApiSettings, withOperatorPart } from './api-settings.ts'
import type { CrawlFolder } from './crawl-folder.ts'
import { jobLogFile, readJob } from './job-file.ts'
import type { JobProcesses } from './job-processes.ts'
import { type OperatorOptions, openOptionsOf } from './operator-options.ts'
import { readOwnSettings, writeOwnSettings } from './own-settings.ts'
import type { ServedFolder } from './served-folder.ts'

export interface ControlledCrawlsParts {
  readonly folder: CrawlFolder
  readonly served: ServedFolder
  readonly jobs: JobProcesses
  readonly operator: OperatorOptions
}

/** The crawls of a folder for the control API. */
export class ControlledCrawls implements CrawlManager {
  readonly #parts: ControlledCrawlsParts
  /** Crawls on which a call of this server works, or which it is about to start. */
  readonly #inUse = new Set<string>()

  constructor(parts: ControlledCrawlsParts) {
    this.#parts = parts
  }

  list(): Promise<ControlledCrawl[]> {
    return Promise.all(this.#parts.served.refresh().map(({ id }) => this.status(id)))
  }

  async status(name: string): Promise<ControlledCrawl> {
    const directory = this.#parts.folder.directory(name)
    const job = (await readJob(directory))?.job
    const live = await liveReport(directory)
    const report = live instanceof Error ? undefined : live
    const entry = this.#entry(name)
    return {
      name,
      state: report === undefined ? (job?.state ?? 'idle') : stateOf(report),
      hasIndex: entry.hasIndex(),
      ...withoutUndefined({ changedAt: entry.changedAt(), job }),
      ...(report !== undefined && { live: progressOf(report) }),
      ...(live instanceof Error && { problem: live.message }),
    }
  }

  async create({ name, seeds, settings = {} }: NewCrawl) {
    const checked = checkApiSettings(settings)
    const { folder, served } = this.#parts
    return this.#use(name, async () => {
      const directory = folder.newDirectory(name)
      // Fails if another process has created it meanwhile: the clean-up below must delete only our own.
      await mkdir(directory)
      try {
        await writeOwnSettings(directory, checked)
        const injected = await this.#inject(directory, { seeds, existing: 'keep' })
        served.refresh()
        return { crawl: await this.status(name), injected }
      } catch (error) {
        await rm(directory, { recursive: true, force: true })
        throw error
      }
    })
  }

  async settings(name: string): Promise<JsonObject> {
    return apiPart(await readOwnSettings(this.#parts.folder.directory(name)))
  }

  async configure(name: string, settings: Readonly<Record<string, unknown>>): Promise<JsonObject> {
    const directory = this.#parts.folder.directory(name)
    const checked = checkApiSettings(settings)
    return this.#use(name, async () => {
      await writeOwnSettings(directory, withOperatorPart(checked, await readOwnSettings(directory)))
      return checked
    })
  }

  async inject(name: string, request: InjectRequest): Promise<Injected> {
    const directory = this.#parts.folder.directory(name)
    return this.#use(name, async () => {
      await this.#refuseRunning(name)
      return this.#inject(directory, request)
    })
  }

  start(name: string, limits: StartLimits): Promise<ControlledCrawl> {
    return this.#startJob(name, 'crawl', limits)
  }

  index(name: string): Promise<ControlledCrawl> {
    return this.#startJob(name, 'index', {})
  }

  async act(name: string, action: 'stop' | 'pause' | 'resume'): Promise<ActionResult> {
    const directory = this.#parts.folder.directory(name)
    const live = await findLiveCrawl(directory)
    const result = await live?.act({ action }).catch((error: unknown) => {
      if (error instanceof CrawlNotRunning || error instanceof OwnerGone) return undefined
      throw error
    })
    if (result !== undefined) return withoutUndefined(result) as ActionResult
    // A process that has not begun to fetch, or that indexes, has no live report.
    if (action === 'stop' && (await this.#signal(directory)))
      return { ok: true, message: `${name} is stopping` }
    throw new ControlRefused('not-running', `${name} is not running.`)
  }

  async log(name: string, lines: number): Promise<string[]> {
    const file = await ifExists(open(jobLogFile(this.#parts.folder.directory(name))))
    if (file === undefined) return []
    try {
      const { size } = await file.stat()
      const length = Math.min(size, MAX_LOG_BYTES)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
      const text = buffer.toString('utf8', 0, bytesRead)
      const all = text.split(/\r?\n/).filter((line) => line !== '')
      // The first line may be cut.
      return (length < size ? all.slice(1) : all).slice(-lines)
    } finally {
      await file.close()
    }
  }

  async reports(name: string) {
    this.#parts.folder.directory(name)
    return this.#entry(name)
  }

  async #startJob(
    name: string,
    kind: ControlJob['kind'],
    limits: ControlJob['limits'],
  ): Promise<ControlledCrawl> {
    const { folder, jobs } = this.#parts
    const directory = folder.directory(name)
    return this.#use(name, async () => {
      await this.#refuseRunning(name)
      if (jobs.size >= MAX_JOBS)
        throw new ControlRefused(
          'busy',
          `${MAX_JOBS} crawls are running, which is the maximum. Try again later.`,
        )
      await jobs.start(directory, kind, limits)
      return this.status(name)
    })
  }

  /** @throws ControlRefused if a process works on the crawl */
  async #refuseRunning(name: string): Promise<void> {
    const { state } = await this.status(name)
    if (RUNNING.includes(state))
      throw new ControlRefused('conflict', `${name} is ${state}. Stop it first, or wait for its end.`)
  }

  async #inject(directory: string, { seeds, existing }: InjectRequest): Promise<Injected> {
    const options = await openOptionsOf(directory, this.#parts.operator)
    await using crawl = await openCrawl(directory, options)
    const summary = await crawl.inject(seeds, { existing })
    const { seeds: given, injected, merged, rejected, examples } = summary
    return {
      ...{ seeds: given, injected, existing: merged, rejected },
      examples: examples.map(({ url, reason }) => ({ seed: url, reason })),
    }
  }

  /** Stops the process of a running job, also one of an earlier server. */
  async #signal(directory: string): Promise<boolean> {
    if (this.#parts.jobs.stop(directory)) return true
    const record = await readJob(directory)
    const pid = record?.job.state === 'running' ? record.owner.pid : process.pid
    return pid !== process.pid && process.kill(pid, 'SIGTERM')
  }

  #entry(name: string) {
    const { served } = this.#parts
    const find = () => served.entries.find(({ id }) => id === name)
    served.refresh()
    const entry = find()
    if (entry === undefined) throw new ControlRefused('not-found', `There is no crawl ${name}.`)
    return entry
  }

  /** Runs `work` unless another call works on the crawl. */
  async #use<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.#inUse.has(name))
      throw new ControlRefused('conflict', `Another request works on ${name}. Try again when it has ended.`)
    this.#inUse.add(name)
    try {
      return await work()
    } catch (error) {
      if (error instanceof CrawlDirectoryLocked)
        throw new ControlRefused(
          'conflict',
          `${name} is in use by a process, such as a running crawl. Stop it first.`,
        )
      if (error instanceof ConfigurationError) throw new ControlRefused('conflict', error.message)
      throw error
    } finally {
      this.#inUse.delete(name)
    }
  }
}

const RUNNING: readonly ControlledCrawl['state'][] = ['running', 'paused', 'stopping']

/** Each takes the memory of a crawl. */
const MAX_JOBS = 16
const MAX_LOG_BYTES = 1_000_000

/** `undefined`: no process fetches. An error: it could not be found out. */
async function liveReport(directory: string): Promise<LiveReport | Error | undefined> {
  try {
    return await (await findLiveCrawl(directory))?.report()
  } catch (error) {
    if (error instanceof CrawlNotRunning || error instanceof OwnerGone) return undefined
    return error instanceof Error ? error : new Error(String(error))
  }
}

function stateOf({ state }: LiveReport): ControlledCrawl['state'] {
  return state === 'finished' ? 'stopping' : state
}

function progressOf(report: LiveReport): NonNullable<ControlledCrawl['live']> {
  const { startedAt, activity, totals, queued, due, rates } = report
  const { pages, requests, errors, bytes } = totals
  return {
    ...{ startedAt, pages, requests, errors, bytes, queued, pagesPerSecond: rates.pagesPerSecond },
    ...withoutUndefined({ activity, due }),
  }
}
