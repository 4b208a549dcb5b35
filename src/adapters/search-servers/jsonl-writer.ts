import type { FileHandle } from 'node:fs/promises'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { indexFields, latestChanges } from '../../domain/indexing/index-fields.ts'
import type { IndexChange, IndexWriter, RefusedChange } from '../../domain/indexing/index-writer.ts'
import { AppendedFile, endOfLastLine, readAt } from './appended-file.ts'

/**
 * Appends to a file of JSON lines: a document, or `{"id":…,"deleted":true}`. The last line of an id counts; a change that was sent again
 * is there twice, and says the same.
 */
export class JsonlWriter implements IndexWriter {
  readonly name: string
  readonly batchSize = 1_000
  readonly #file: AppendedFile

  /** @throws ConfigurationError when the file cannot be opened, or is of another kind */
  static async open(path: string): Promise<JsonlWriter> {
    const name = `jsonl:${path}`
    const file = await AppendedFile.open(name, path, async (opened, bytes) => {
      if ((await readAt(opened, 0, 1)).toString() !== '{')
        throw new ConfigurationError(
          'INDEX_TARGET_INVALID',
          `${name}: the file exists and is not JSON lines. Choose another file`,
        )
      return wholeLines(opened, bytes)
    })
    return new JsonlWriter(name, file)
  }

  private constructor(name: string, file: AppendedFile) {
    this.name = name
    this.#file = file
  }

  async write(changes: readonly IndexChange[]): Promise<readonly RefusedChange[]> {
    await this.#file.append(latestChanges(changes).values().map(line))
    return []
  }

  commit(): Promise<void> {
    return this.#file.sync()
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** A last line that only lacks its end, as some editors leave it, gets one. */
async function wholeLines(file: FileHandle, bytes: number): Promise<number> {
  const end = await endOfLastLine(file, bytes)
  try {
    JSON.parse((await readAt(file, end, bytes - end)).toString())
  } catch {
    return end
  }
  await file.appendFile('\n')
  return bytes + 1
}

function line(change: IndexChange): string {
  const json = JSON.stringify(
    change.kind === 'put' ? indexFields(change.document) : { id: change.id, deleted: true },
  )
  return `${json.replace(OTHER_LINE_ENDS, escaped)}\n`
}

/** Some readers end lines here too. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
