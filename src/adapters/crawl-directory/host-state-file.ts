import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { HostStateStore, StoredHostStates } from '../../domain/politeness/persist-host-states.ts'

/** Per-host throttle state in a file of the crawl directory. A file that cannot be read counts as written just now by a killed process. */
export class HostStateFile implements HostStateStore {
  readonly #file: string

  constructor(crawlDirectory: string) {
    this.#file = join(crawlDirectory, 'hosts.json')
  }

  async load(): Promise<StoredHostStates | undefined> {
    const text = await ifExists(readFile(this.#file, 'utf8'))
    if (text === undefined) return undefined
    try {
      return JSON.parse(text) as StoredHostStates
    } catch {
      return { states: [], savedAt: 0, ended: false }
    }
  }

  async save(memories: StoredHostStates): Promise<void> {
    await replaceFile(this.#file, jsonOf(memories))
  }
}

/** Piece by piece, each written before the next is made: one text of a hundred thousand hosts would hold up the main thread for a tenth of a second. */
function* jsonOf({ states, ...rest }: StoredHostStates): Generator<string> {
  yield '{"states":['
  for (let from = 0; from < states.length; from += PIECE) {
    const piece = JSON.stringify(states.slice(from, from + PIECE)).slice(1, -1)
    yield from === 0 ? piece : `,${piece}`
  }
  yield `],${JSON.stringify(rest).slice(1)}`
}

const PIECE = 5_000
