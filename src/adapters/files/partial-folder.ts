import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { ifExists } from '../../base/if-exists.ts'
import { PartialFile, type PartialNotes } from './partial-file.ts'

const NEW: PartialNotes = { bytes: 0 }
const DAY_MS = 86_400_000
/** Downloads that were interrupted longer ago are deleted. */
const MAX_AGE_MS = 7 * DAY_MS

/** Names of the files that this process writes: the id of an earlier process may be used again. */
const ours = new Set<string>()

/**
 * The folder of unfinished downloads. The name of a file has the process that writes it, so that no two processes append to one file. A file
 * without a living process is taken over by renaming it, which only one process can do.
 */
export class PartialFolder {
  readonly #folder: string
  readonly #now: () => number

  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder
    this.#now = now
  }

  /** Creates the folder, and deletes downloads that were not resumed. */
  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      const found = await ifExists(stat(path))
      if (found !== undefined && this.#now() - found.mtimeMs > MAX_AGE_MS) await rm(path, { force: true })
    }
  }

  /** The file of an interrupted download of `url`, or a new one. */
  async take(url: string): Promise<PartialFile> {
    const key = createHash('sha256').update(url).digest('hex')
    const name = `${key}.${encodeURIComponent(hostname()).replaceAll('.', '%2E')}.${process.pid}.${randomUUID()}`
    const path = join(this.#folder, name)
    ours.add(name)
    const notes = (await this.#claim(key, path)) ?? NEW
    return PartialFile.open(path, notes)
  }

  /** Closes a file and keeps its bytes for `take`; in this process or another. */
  async suspend(file: PartialFile): Promise<void> {
    const isUsable = file.notes.validator !== undefined && file.error === undefined
    if (isUsable) await file.sync().catch(() => {})
    if (!isUsable || file.error !== undefined || file.size === 0) return this.remove(file)
    await file.keepNotes()
    await file.close()
    ours.delete(nameOf(file))
  }

  async remove(file: PartialFile): Promise<void> {
    await file.remove()
    ours.delete(nameOf(file))
  }

  /** Closes a file that was moved elsewhere. */
  async moved(file: PartialFile): Promise<void> {
    await rm(`${file.path}.json`, { force: true })
    ours.delete(nameOf(file))
  }

  async #claim(key: string, path: string): Promise<PartialNotes | undefined> {
    for (const name of await readdir(this.#folder)) {
      if (!name.startsWith(`${key}.`) || name.endsWith('.json') || name.endsWith('.tmp')) continue
      const old = join(this.#folder, name)
      if (await this.#isInUse(name, old)) continue
      const notes = await readNotes(`${old}.json`)
      const claimed = await ifExists(rename(old, path).then(() => true))
      if (claimed === undefined) continue
      await rm(`${old}.json`, { force: true })
      const { size } = await stat(path)
      if (notes !== undefined && notes.bytes > 0 && notes.bytes <= size) return notes
      await rm(path, { force: true })
    }
    return undefined
  }

  /** Whether a process may be writing it. That of another machine is unknown: its file is left alone for a day. */
  async #isInUse(name: string, path: string): Promise<boolean> {
    const [, host = '', pid = ''] = name.split('.')
    if (host === encodeURIComponent(hostname()).replaceAll('.', '%2E'))
      return Number(pid) === process.pid ? ours.has(name) : isAlive(Number(pid))
    const found = await ifExists(stat(path))
    return found === undefined || this.#now() - found.mtimeMs < DAY_MS
  }
}

function nameOf({ path }: PartialFile): string {
  return basename(path)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function readNotes(path: string): Promise<PartialNotes | undefined> {
  const text = await ifExists(readFile(path, 'utf8'))
  if (text === undefined) return undefined
  try {
    const { bytes, validator } = JSON.parse(text) as PartialNotes
    return Number.isSafeInteger(bytes) && typeof validator === 'string' ? { bytes, validator } : undefined
  } catch {
    return undefined
  }
}
