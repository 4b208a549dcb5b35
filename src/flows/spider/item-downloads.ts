import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../base/json.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { NormalizedUrl } from '../../domain/url/normalize-url.ts'
import type { ItemFile } from './file-options.ts'
import type { ItemWithFiles } from './files-of-items.ts'

/** The handler of requests for files. */
export const FILE_HANDLER = '$file'
const STATE_KEY = '$files'
/** An item is complete before other pages are requested from its hosts. */
const FILE_PRIORITY = 1_000_000

/**
 * An item whose files are being downloaded. It travels with the request for its next file, so that item and downloads survive a crash, and
 * may continue in another process: the request is settled together with the request for the file after it, or with the complete item.
 */
export interface PendingItem {
  readonly id: string
  /** The URL of its page. */
  readonly page: string
  readonly item: JsonObject
  readonly files: readonly PendingFile[]
}

interface PendingFile {
  /** The field of the item. */
  readonly as: string
  readonly isList: boolean
  readonly url: string
  /** Absent: not downloaded yet. */
  readonly result?: ItemFile
}

/** What follows a download: the next one, or the item. */
export type Continuation = { readonly request: CrawlRequest } | { readonly item: JsonObject }

/** Makes the requests for the files of items. */
export class ItemDownloads {
  readonly #resolve: (href: string, base: string | undefined) => NormalizedUrl
  readonly #onFailed: () => void
  /** Items of this process that are not complete. */
  readonly #open = new Set<string>()

  /** @param onFailed called for each file whose URL cannot be requested */
  constructor(
    resolve: (href: string, base: string | undefined) => NormalizedUrl,
    onFailed: () => void = () => {},
  ) {
    this.#resolve = resolve
    this.#onFailed = onFailed
  }

  /** Number of items that wait for their files. */
  get open(): number {
    return this.#open.size
  }

  start({ item, files }: ItemWithFiles, page: string, depth: number): Continuation {
    const pending: PendingItem = {
      id: randomUUID(),
      page,
      item,
      files: files.map(({ href, base, as, isList }) => this.#pendingFile(href, base, { as, isList })),
    }
    this.#open.add(pending.id)
    return this.#continue(pending, depth + 1)
  }

  /** @param result of the file of `request` */
  next(pending: PendingItem, { depth }: CrawlRequest, result: ItemFile): Continuation {
    const at = currentOf(pending)
    const files = pending.files.map((file, i) =>
      i === at ? { ...file, result: { ...result, url: file.url } } : file,
    )
    return this.#continue({ ...pending, files }, depth)
  }

  #continue(pending: PendingItem, depth: number): Continuation {
    const file = pending.files[currentOf(pending)]
    if (file !== undefined) return { request: fileRequest(pending, file.url, depth) }
    this.#open.delete(pending.id)
    return { item: completeItem(pending) }
  }

  #pendingFile(
    href: string,
    base: string | undefined,
    field: Pick<PendingFile, 'as' | 'isList'>,
  ): PendingFile {
    const normalized = this.#resolve(href, base)
    if (normalized.ok) return { ...field, url: normalized.url }
    this.#onFailed()
    const url = href.slice(0, MAX_HREF_CHARS)
    return { ...field, url, result: { url, status: 'failed', code: 'url', reason: normalized.detail } }
  }
}

/** Of a URL that is not one: a picture inside its `data:` URL may be large. */
const MAX_HREF_CHARS = 200

/** The item of a request for a file; `undefined` if it has none: another program may have added the request. */
export function pendingItemOf({ meta }: CrawlRequest): PendingItem | undefined {
  const pending = meta?.[STATE_KEY] as unknown as PendingItem | undefined
  if (typeof pending !== 'object' || !Array.isArray(pending.files)) return undefined
  return typeof pending.item === 'object' && currentOf(pending) >= 0 ? pending : undefined
}

/** The URL of the file that is downloaded now, before redirects; -1 stands for none. */
export function currentOf({ files }: PendingItem): number {
  return files.findIndex(({ result }) => result === undefined)
}

export function withPendingItem(request: CrawlRequest, pending: PendingItem): CrawlRequest {
  return { ...request, meta: { [STATE_KEY]: pending as unknown as JsonObject } }
}

function fileRequest(pending: PendingItem, url: string, depth: number): CrawlRequest {
  return withPendingItem(
    {
      url,
      handler: FILE_HANDLER,
      priority: FILE_PRIORITY,
      // Each item has its own request; a file that is stored already is not requested.
      dontFilter: true,
      depth,
      from: pending.page,
    },
    pending,
  )
}

function completeItem({ item, files }: PendingItem): JsonObject {
  const fields: Record<string, JsonObject | JsonObject[]> = {}
  for (const { as, isList, result } of files) {
    const file = result as unknown as JsonObject
    if (isList) fields[as] = [...((fields[as] as JsonObject[] | undefined) ?? []), file]
    else fields[as] = file
  }
  return { ...item, ...fields }
}
