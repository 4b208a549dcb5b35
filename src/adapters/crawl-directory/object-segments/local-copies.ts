import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { wallClock } from '../../../base/clock.ts'
import { ifExists } from '../../../base/if-exists.ts'
import { SEGMENT_DIRECTORIES } from '../../../domain/segment/segment-columns.ts'
import { listSegments } from '../segment-files.ts'

/** What identifies the version of an object. */
export interface ObjectVersion {
  readonly bytes: number
  /** `undefined`: this process has put the object, and not listed it yet. */
  readonly etag?: string
}

/**
 * Copies of objects among the files of segments. Each has a note next to it, with the version of the object; a file without a note is not
 * in the store yet. Copies in use are counted, and others are deleted when there are too many.
 */
export class LocalCopies {
  readonly #path: string
  readonly #maxBytes: number
  /** Number of users by file. */
  readonly #held = new Map<string, number>()
  /** Files that this process has used. Other processes may use all others. */
  readonly #used = new Set<string>()
  readonly #deleting = new Map<string, Promise<void>>()
  /** Bytes that were added since the copies were last measured; `undefined` before the first time. */
  #added: number | undefined
  #shrinking: Promise<void> | undefined

  /** @param path the directory of the segments */
  constructor(path: string, maxBytes: number) {
    this.#path = path
    this.#maxBytes = maxBytes
  }

  hold(file: string): void {
    this.#held.set(file, (this.#held.get(file) ?? 0) + 1)
  }

  release(file: string): void {
    const users = (this.#held.get(file) ?? 0) - 1
    if (users > 0) this.#held.set(file, users)
    else this.#held.delete(file)
  }

  /** Whether a file is a copy of an object; otherwise it is not there or not put yet. */
  async isCopy(file: string): Promise<boolean> {
    return (await this.#noted(file)) !== undefined
  }

  /** Whether a file is there and, if it is a copy, one of this version. */
  async isCurrent(file: string, object: ObjectVersion | undefined): Promise<boolean> {
    await this.#deleting.get(file)
    const present = await ifExists(stat(file))
    if (present === undefined) return false
    const noted = await this.#noted(file)
    if (noted === undefined || object === undefined) return true
    const isSame = noted.etag === undefined || noted.etag === object.etag
    return isSame && present.size === object.bytes
  }

  /** Notes that a file is, or is going to be, the copy of an object. */
  async note(file: string, { bytes, etag }: ObjectVersion): Promise<void> {
    await writeFile(noteOf(file), etag === undefined ? '' : etag)
    this.#used.add(file)
    this.#added = (this.#added ?? this.#maxBytes) + bytes
  }

  /** Notes that a copy is used now. */
  async touch(file: string): Promise<void> {
    this.#used.add(file)
    const now = new Date(wallClock.now())
    // A file that is not put yet has no note.
    await ifExists(utimes(noteOf(file), now, now))
  }

  delete(file: string): Promise<void> {
    const deleting = this.#delete(file).finally(() => this.#deleting.delete(file))
    this.#deleting.set(file, deleting)
    return deleting
  }

  async #delete(file: string): Promise<void> {
    // Before its note: a copy without a note would be put once more.
    await rm(file, { force: true })
    await rm(noteOf(file), { force: true })
    this.#used.delete(file)
  }

  /** Deletes the least recently used copies if there are too many. */
  async shrink(): Promise<void> {
    if ((this.#added ?? 0) < this.#maxBytes / SLACK) return
    this.#shrinking ??= this.#shrink().finally(() => {
      this.#shrinking = undefined
    })
    await this.#shrinking
  }

  async #shrink(): Promise<void> {
    this.#added = 0
    const copies = await this.#all()
    let bytes = copies.reduce((sum, copy) => sum + copy.bytes, 0)
    const wanted = this.#maxBytes - this.#maxBytes / SLACK
    if (bytes <= wanted) return
    const shared = wallClock.now() - SHARED_MS
    for (const copy of copies.sort((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= wanted) return
      const { file, usedAt } = copy
      if (this.#held.has(file) || (!this.#used.has(file) && usedAt > shared)) continue
      await this.delete(file)
      bytes -= copy.bytes
    }
    // Files in use need more than the limit: measured again next time.
    this.#added = this.#maxBytes
  }

  async #all(): Promise<Copy[]> {
    const copies: Copy[] = []
    for (const segment of await listSegments(this.#path)) {
      for (const directory of SEGMENT_DIRECTORIES) {
        const folder = join(this.#path, segment, directory)
        for (const name of (await ifExists(readdir(folder))) ?? []) {
          const [, part] = NOTE.exec(name) ?? []
          if (part === undefined) continue
          const file = join(folder, part)
          const [present, note] = await Promise.all([
            ifExists(stat(file)),
            ifExists(stat(join(folder, name))),
          ])
          if (present !== undefined && note !== undefined)
            copies.push({ file, bytes: present.size, usedAt: note.mtimeMs })
        }
      }
    }
    return copies
  }

  async #noted(file: string): Promise<Pick<ObjectVersion, 'etag'> | undefined> {
    const text = await ifExists(readFile(noteOf(file), 'utf8'))
    if (text === undefined) return undefined
    return text === '' ? {} : { etag: text }
  }
}

interface Copy {
  readonly file: string
  readonly bytes: number
  readonly usedAt: number
}

/** A tenth is freed at once, so that not every file makes room for itself. */
const SLACK = 10
/** Another process does not read a file for longer without holding it once more. */
const SHARED_MS = 3_600_000

const NOTE = /^\.(part-.*\.parquet)\.put$/

/** `part-*.parquet` does not match it. */
function noteOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.put`)
}
