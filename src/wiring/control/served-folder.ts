import { existsSync } from 'node:fs'
import { findLiveCrawl } from '../../adapters/crawl-directory/control/remote-live-crawl.ts'
import type { CrawlApi, SearchApi, ServedEntry } from '../../adapters/serve/serve-ports.ts'
import { indexFile } from '../../adapters/sqlite-index/index-file.ts'
import { changeTime, type OpenServedDirectory, openServedDirectory } from '../serve-crawl.ts'
import type { CrawlFolder } from './crawl-folder.ts'

type FolderEntry = ServedEntry & Required<Pick<ServedEntry, 'crawl' | 'search' | 'hasIndex' | 'changedAt'>>

/** The crawls of a folder for the pages of the server. A crawl is opened with its first report or search. */
export class ServedFolder {
  readonly #folder: CrawlFolder
  readonly #memoryMb: number | undefined
  readonly #opened = new Map<string, Promise<OpenServedDirectory>>()
  /** The current crawls: updated in place by `refresh`. */
  readonly entries: FolderEntry[] = []

  constructor(folder: CrawlFolder, memoryMb: number | undefined) {
    this.#folder = folder
    this.#memoryMb = memoryMb
    this.refresh()
  }

  /** Adds new crawls of the folder, and removes those that no longer exist. */
  refresh(): readonly FolderEntry[] {
    const known = new Map(this.entries.map((entry) => [entry.id, entry]))
    const current = this.#folder.names().map((name) => known.get(name) ?? this.#entryOf(name))
    this.entries.splice(0)
    for (const entry of current) this.entries.push(entry)
    return this.entries
  }

  async close(): Promise<void> {
    for (const opening of this.#opened.values()) {
      const directory = await opening.catch(() => undefined)
      await directory?.close()
    }
  }

  #entryOf(name: string): FolderEntry {
    const directory = this.#folder.directory(name)
    const open = async () => (await this.#open(name, directory)).entry
    const crawl: CrawlApi = {
      overview: async () => (await open()).crawl.overview(),
      history: async (range) => (await open()).crawl.history(range),
      hosts: async (request) => (await open()).crawl.hosts(request),
      host: async (host) => (await open()).crawl.host(host),
      url: async (input) => (await open()).crawl.url(input),
      preview: async (url) => (await open()).crawl.preview(url),
    }
    const search: SearchApi = {
      search: async (request) => (await open()).search.search(request),
      document: async (request) => (await open()).search.document(request),
    }
    return {
      ...{ id: name, name, live: { find: () => findLiveCrawl(directory) }, crawl, search },
      hasIndex: () => existsSync(indexFile(directory)),
      changedAt: () => changeTime(directory),
    }
  }

  #open(name: string, directory: string): Promise<OpenServedDirectory> {
    const opening =
      this.#opened.get(name) ??
      openServedDirectory(directory, {
        id: name,
        ...(this.#memoryMb !== undefined && { memory: this.#memoryMb }),
      })
    this.#opened.set(name, opening)
    // The next request tries again.
    opening.catch(() => this.#opened.delete(name))
    return opening
  }
}
