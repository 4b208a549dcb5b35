import { constants } from 'node:fs'
import { type FileHandle, open, opendir, readlink, realpath, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Protocol, ProtocolRequest, ProtocolResponse } from '../../domain/fetch/protocol.ts'
import { type FailureError, refusal } from '../http/failure.ts'
import { type DirectoryEntry, directoryPage, MAX_ENTRIES } from './directory-page.ts'

export interface FileProtocolOptions {
  /** Only files in these folders are read. Absolute, existing paths. */
  readonly roots: readonly string[]
  /** List files whose name starts with a dot. @default false */
  readonly hidden?: boolean
}

/**
 * Reads files of this machine, and lists directories as pages with links. A file is read only if it is in one of the roots after all
 * symbolic links are resolved, and that is checked again for the file that was opened. Special files are refused.
 */
export class FileProtocol implements Protocol {
  readonly #options: FileProtocolOptions
  #roots: Promise<readonly string[]> | undefined

  constructor(options: FileProtocolOptions) {
    this.#options = options
  }

  async fetch(request: ProtocolRequest): Promise<ProtocolResponse> {
    try {
      return await this.#read(request)
    } catch (error) {
      const status = STATUS_OF.get((error as NodeJS.ErrnoException).code ?? '')
      if (status === undefined) throw error
      return { status }
    }
  }

  async #read({ url, validators, maxBodyBytes }: ProtocolRequest): Promise<ProtocolResponse> {
    const path = fileURLToPath(url)
    const real = await realpath(path)
    if (!(await this.#isInside(real))) throw outside(path, real)
    // A FIFO without a writer would block without O_NONBLOCK.
    const file = await open(
      real,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    )
    try {
      const facts = await file.stat({ bigint: true })
      if (!(await this.#isInside(await openedPath(file, real, facts)))) throw outside(path, real)
      if (!facts.isFile() && !facts.isDirectory())
        throw refusal('url', `${path} is neither a file nor a folder`)
      const name = facts.isDirectory() && !real.endsWith(sep) ? real + sep : real
      // The same file under another name, such as a symbolic link, is one document. It also ends circles of links.
      if (name !== path) return { status: 301, headers: [['location', pathToFileURL(name).href]] }
      const etag = `"${facts.size}-${facts.mtimeNs}"`
      const modified = new Date(Number(facts.mtimeMs)).toUTCString()
      const dated: ProtocolResponse['headers'] = [
        ['last-modified', modified],
        ['etag', etag],
      ]
      const { etag: known, lastModified } = validators ?? {}
      if (known === undefined ? lastModified === modified : known === etag)
        return { status: 304, headers: dated }
      if (facts.isDirectory()) {
        const entries = await this.#list(real)
        const { headers, body } = directoryPage(real, entries)
        return {
          status: 200,
          headers: [...headers, ...dated],
          body,
          truncated: entries.length === MAX_ENTRIES,
        }
      }
      const body = await readUpTo(file, Math.min(Number(facts.size), maxBodyBytes))
      return { status: 200, headers: dated, body, truncated: facts.size > maxBodyBytes }
    } finally {
      await file.close()
    }
  }

  async #isInside(path: string): Promise<boolean> {
    this.#roots ??= Promise.all(this.#options.roots.map((root) => realpath(root)))
    const roots = await this.#roots
    return roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep))
  }

  /** Symbolic links are listed; whether they lead out of the roots is decided when they are fetched. */
  async #list(path: string): Promise<DirectoryEntry[]> {
    const entries: DirectoryEntry[] = []
    for await (const entry of await opendir(path)) {
      if (entry.name.startsWith('.') && this.#options.hidden !== true) continue
      if (!entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink()) continue
      entries.push({ name: entry.name, isDirectory: entry.isDirectory() })
      if (entries.length === MAX_ENTRIES) break
    }
    return entries
  }
}

const STATUS_OF: ReadonlyMap<string, number> = new Map([
  ['ENOENT', 404],
  ['ENOTDIR', 404],
  ['ENAMETOOLONG', 404],
  ['ELOOP', 403],
  ['EACCES', 403],
  ['EPERM', 403],
])

function outside(path: string, real: string): FailureError {
  const place = path === real ? path : `${path} leads to ${real}, which`
  return refusal('url', `${place} is not in a folder that --allow-files or protocols.file.roots allows`)
}

/**
 * The path of the file that was opened: a folder on the way may have been replaced by a symbolic link since its path was resolved. Linux
 * tells; elsewhere the path is resolved again, and must still be the same file.
 */
async function openedPath(
  file: FileHandle,
  path: string,
  facts: { readonly dev: bigint; readonly ino: bigint },
): Promise<string> {
  const opened = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)
  if (opened !== undefined) return opened
  const again = await realpath(path)
  const { dev, ino } = await stat(again, { bigint: true })
  return dev === facts.dev && ino === facts.ino ? again : ''
}

/** The file may become shorter while it is read. */
async function readUpTo(file: FileHandle, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let at = 0
  while (at < length) {
    const { bytesRead } = await file.read(bytes, at, length - at, at)
    if (bytesRead === 0) break
    at += bytesRead
  }
  return at === length ? bytes : bytes.slice(0, at)
}
