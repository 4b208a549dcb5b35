import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { diskFiles, replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { ObjectStore } from '../../domain/object-store/object-store.ts'

/** Where the contents and records of a file store are: a folder or an object store. Paths have `/` between their parts. */
export interface FilePlace {
  /** Whether there is a file of that size. */
  has(path: string, size: number): Promise<boolean>
  /** Moves a local file there, durably. A file of that path has the same content. */
  put(local: string, path: string): Promise<void>
  read(path: string): Promise<string | undefined>
  /** Replaces a small file. */
  write(path: string, text: string): Promise<void>
  close(): Promise<void>
}

export class FolderPlace implements FilePlace {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async has(path: string, size: number): Promise<boolean> {
    return (await ifExists(stat(join(this.#folder, path))))?.size === size
  }

  async put(local: string, path: string): Promise<void> {
    const target = await this.#target(path)
    await rename(local, target)
    await diskFiles.sync(dirname(target))
  }

  read(path: string): Promise<string | undefined> {
    return ifExists(readFile(join(this.#folder, path), 'utf8'))
  }

  async write(path: string, text: string): Promise<void> {
    await replaceFile(await this.#target(path), [text])
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #target(path: string): Promise<string> {
    const target = join(this.#folder, path)
    const created = await mkdir(dirname(target), { recursive: true })
    if (created !== undefined) await diskFiles.sync(dirname(created))
    return target
  }
}

export class ObjectPlace implements FilePlace {
  readonly #store: ObjectStore

  constructor(store: ObjectStore) {
    this.#store = store
  }

  async has(path: string, size: number): Promise<boolean> {
    for await (const { key, bytes } of this.#store.list(path)) if (key === path) return bytes === size
    return false
  }

  async put(local: string, path: string): Promise<void> {
    const { size } = await stat(local)
    if (!(await this.has(path, size))) await this.#store.put(path, { file: local })
    await rm(local)
  }

  async read(path: string): Promise<string | undefined> {
    const bytes = await this.#store.get(path)
    return bytes && Buffer.from(bytes).toString()
  }

  async write(path: string, text: string): Promise<void> {
    await this.#store.put(path, Buffer.from(text))
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
