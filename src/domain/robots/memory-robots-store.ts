import { LruMap } from '../../base/lru-map.ts'
import type { RobotsRecord, RobotsStore } from './robots-record.ts'

/** About what a record takes besides its file. */
const RECORD_BYTES = 400
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024

/** Keeps records for as long as the process lives, the most recently used ones only. */
export class MemoryRobotsStore implements RobotsStore {
  readonly #records: LruMap<string, RobotsRecord>

  /** @param maxBytes about how much memory to use. @default 64 MiB: 150,000 origins without a file */
  constructor(maxBytes = DEFAULT_MAX_BYTES) {
    this.#records = new LruMap(maxBytes)
  }

  async get(origin: string): Promise<RobotsRecord | undefined> {
    return this.#records.get(origin)
  }

  async put(record: RobotsRecord): Promise<void> {
    const fileBytes = record.finding?.kind === 'file' ? record.finding.octets.length : 0
    this.#records.set(record.origin, record, RECORD_BYTES + fileBytes)
  }
}
