import { ConfigurationError } from '../../base/crawl-error.ts'
import { csvRow } from '../../base/csv-row.ts'
import { logEvent } from '../../base/event-codes.ts'
import { type EventLog, NO_LOG } from '../../base/event-log.ts'
import type { Json } from '../../base/json.ts'
import type { IndexDocument } from '../../domain/indexing/index-document.ts'
import { indexFields, latestChanges } from '../../domain/indexing/index-fields.ts'
import type { IndexChange, IndexWriter, RefusedChange } from '../../domain/indexing/index-writer.ts'
import { AppendedFile, endOfLastRow, readAt } from './appended-file.ts'

/**
 * Appends to a CSV file (RFC 4180): a row for each document that was put. It has no way to say that a document is gone, so deletes are left
 * out, and the commit says how many. The last row of an id counts.
 */
export class CsvWriter implements IndexWriter {
  readonly name: string
  readonly batchSize = 1_000
  readonly #file: AppendedFile
  readonly #log: EventLog
  #deletesLeftOut = 0

  /** @throws ConfigurationError when the file cannot be opened, or has other columns */
  static async open(path: string, log: EventLog = NO_LOG): Promise<CsvWriter> {
    const name = `csv:${path}`
    const file = await AppendedFile.open(name, path, async (opened, bytes) => {
      const head = (await readAt(opened, 0, HEADER.length)).toString()
      if (!HEADER.startsWith(head))
        throw new ConfigurationError(
          'INDEX_TARGET_INVALID',
          `${name}: the file exists and has other columns. Choose another file`,
        )
      return endOfLastRow(opened, bytes)
    })
    return new CsvWriter(name, file, log)
  }

  private constructor(name: string, file: AppendedFile, log: EventLog) {
    this.name = name
    this.#file = file
    this.#log = log
  }

  async write(changes: readonly IndexChange[]): Promise<readonly RefusedChange[]> {
    const latest = latestChanges(changes)
    const documents = latest.flatMap((change) => (change.kind === 'put' ? [change.document] : []))
    const header = this.#file.bytes === 0 ? [HEADER] : []
    await this.#file.append([...header, ...documents.map(row)])
    this.#deletesLeftOut += latest.length - documents.length
    return []
  }

  async commit(): Promise<void> {
    await this.#file.sync()
    if (this.#deletesLeftOut > 0)
      logEvent(
        this.#log,
        'INDEX_DELETES_SKIPPED',
        `${this.name}: ${this.#deletesLeftOut} deletes skipped: rows of a CSV file cannot be deleted`,
      )
    this.#deletesLeftOut = 0
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

const COLUMNS = [
  ...['id', 'url', 'host', 'domain', 'title', 'content', 'anchor', 'digest', 'boost', 'tstamp'],
  ...['lastModified', 'type', 'lang', 'segment', 'metadata'],
]

const HEADER = csvRow(COLUMNS)

function row(document: IndexDocument): string {
  const { metadata } = document
  const fields: Readonly<Record<string, Json>> = { ...indexFields(document), metadata }
  return csvRow(COLUMNS.map((column) => fields[column]))
}
