import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { FeedFormat } from './feed-target.ts'

/** How far a feed is. Plain data. */
export interface FeedState {
  /** `undefined`: a writer's own. */
  readonly format?: FeedFormat
  /** The last item that is in it. */
  readonly position: number
  /** The item before the first one of the current file. */
  readonly from: number
  /** Length of the current file, up to the end of its last item. */
  readonly bytes: number
  /** Items in the current file. */
  readonly items: number
  /** Number of the current file, from 1. */
  readonly batch: number
  /** For `{time}`: the start of the run, or of the killed run that this one resumes (ms since the epoch). `undefined` after a clean end. */
  readonly time?: number
  /** Names of complete files that are not in the object store yet. */
  readonly unpublished?: readonly string[]
  /** The configured fields. */
  readonly fields?: readonly string[]
  /** The header of a CSV file. */
  readonly columns?: readonly string[]
}

export const FIRST_STATE: FeedState = { position: 0, from: 0, bytes: 0, items: 0, batch: 1 }

/** The state after a clean end: the next run takes its own time. */
export function withoutTime({ time: _, ...state }: FeedState): FeedState {
  return state
}

/** The states of all feeds that a crawl ever had, in `feeds.json` of its directory. */
export class FeedStates {
  readonly #file: string | undefined
  readonly #states: Map<string, FeedState>
  #isSaved = true

  private constructor(file: string | undefined, states: Map<string, FeedState>) {
    this.#file = file
    this.#states = states
  }

  /** @param directory `undefined`: they are forgotten with the process */
  static async open(directory: string | undefined): Promise<FeedStates> {
    if (directory === undefined) return new FeedStates(undefined, new Map())
    const file = join(directory, 'feeds.json')
    return new FeedStates(file, await load(file))
  }

  get(key: string): FeedState | undefined {
    return this.#states.get(key)
  }

  set(key: string, state: FeedState): void {
    if (this.#states.get(key) === state) return
    this.#states.set(key, state)
    this.#isSaved = false
  }

  /** They outlive the process when it is fulfilled. A file is always whole: that of before, or the new one. */
  async save(): Promise<void> {
    if (this.#isSaved || this.#file === undefined) return
    // Durable before a feed continues: a feed that rewrites its file relies on it.
    await replaceFile(this.#file, [JSON.stringify({ version: 1, feeds: Object.fromEntries(this.#states) })])
    this.#isSaved = true
  }
}

async function load(file: string): Promise<Map<string, FeedState>> {
  const text = await ifExists(readFile(file, 'utf8'))
  if (text === undefined) return new Map()
  const { version, feeds } = parsed(text) ?? {}
  if (version !== 1 || typeof feeds !== 'object' || feeds === null)
    throw new ConfigurationError(
      'STATE_FILE_INVALID',
      `${file} is not what was written there: restore it, or remove it to have the exports written anew`,
    )
  return new Map(Object.entries(feeds as Record<string, FeedState>))
}

function parsed(text: string): { version?: unknown; feeds?: unknown } | null {
  try {
    return JSON.parse(text) as { version?: unknown; feeds?: unknown } | null
  } catch {
    return null
  }
}
