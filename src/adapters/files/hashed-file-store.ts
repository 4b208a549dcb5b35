import { createHash } from 'node:crypto'
import type { FileDraft, FileLimits, FileStore, StoredFile } from '../../domain/files/file-store.ts'
import { PartialFileDraft } from './file-draft.ts'
import type { FilePlace } from './file-place.ts'
import type { PartialFolder } from './partial-folder.ts'

/** Files by the SHA-256 of their content, with one small record per URL in `.urls/`. */
export class HashedFileStore implements FileStore {
  readonly #place: FilePlace
  readonly #partial: PartialFolder

  constructor(place: FilePlace, partial: PartialFolder) {
    this.#place = place
    this.#partial = partial
  }

  async find(url: string): Promise<StoredFile | undefined> {
    const text = await this.#place.read(recordPath(url))
    const record = text === undefined ? undefined : parseRecord(text)
    if (record?.url !== url) return undefined
    return (await this.#place.has(record.path, record.size)) ? record : undefined
  }

  remember(file: StoredFile): Promise<void> {
    return this.#place.write(recordPath(file.url), JSON.stringify(file))
  }

  async begin(url: string, limits: FileLimits): Promise<FileDraft> {
    const file = await this.#partial.take(url)
    return new PartialFileDraft({
      ...{ url, limits, file, folder: this.#partial },
      publish: (local, { path }) => this.#place.put(local, path),
    })
  }

  close(): Promise<void> {
    return this.#place.close()
  }
}

function recordPath(url: string): string {
  const hash = createHash('sha256').update(url).digest('hex')
  return `.urls/${hash.slice(0, 2)}/${hash}.json`
}

/** `undefined` for a record that is damaged: the file is downloaded again. */
function parseRecord(text: string): StoredFile | undefined {
  try {
    const record = JSON.parse(text) as StoredFile
    const isRecord =
      typeof record.path === 'string' &&
      /^[0-9a-f]{2}\/[0-9a-f]{64}(\.[a-z0-9]+)?$/.test(record.path) &&
      Number.isSafeInteger(record.size)
    return isRecord ? record : undefined
  } catch {
    return undefined
  }
}
