import { OwnerGone } from '../crawl-directory/control/control-error.ts'
import type { CrawlReadPorts } from '../crawl-directory/control/remote-reads.ts'
import type { CrawlDirectory } from './open-crawl-directory.ts'
import { type ReadSource, readOnlyDirectory } from './read-only-directory.ts'

/**
 * A crawl directory that is read where it can be read: first from its owner, and after the owner has ended from `reopen()`, which may be
 * the files or the next owner. Calls that were interrupted are repeated; a stream that has begun fails.
 */
export function followingDirectory(first: ReadSource, reopen: () => Promise<ReadSource>): CrawlDirectory {
  const source = new FollowedSource(first, reopen)
  const call = source.call.bind(source)
  const reads: CrawlReadPorts = {
    db: {
      segments: () => call(({ db }) => db.segments()),
      seeds: () => call(({ db }) => db.seeds()),
      find: (url) => call(({ db }) => db.find(url)),
      findAll: (urls) => call(({ db }) => db.findAll(urls)),
      countDue: (now, maxIntervalSeconds) => call(({ db }) => db.countDue(now, maxIntervalSeconds)),
      stats: () => call(({ db }) => db.stats()),
      hostWaits: (now, host) => call(({ db }) => db.hostWaits(now, host)),
      novelty: (url) => call(({ db }) => db.novelty(url)),
      nearPages: (url) => call(({ db }) => db.nearPages(url)),
    },
    links: { inlinks: (url) => call(({ links }) => links.inlinks(url)) },
    reader: {
      dump: (file, options) => call(({ reader }) => reader.dump(file, options)),
      withStatus: (statuses) => source.stream(({ reader }) => reader.withStatus(statuses)),
      check: () => call(({ reader }) => reader.check()),
      sql: (query) => call(({ reader }) => reader.sql(query)),
    },
    items: {
      items: (position, limit) => call(({ items }) => items.items(position, limit)),
      rejected: (position, limit) => call(({ items }) => items.rejected(position, limit)),
    },
    deadLetters: { failed: (choice) => call(({ deadLetters }) => deadLetters.failed(choice)) },
  }
  const { path, segmentFolder } = first.directory
  return readOnlyDirectory(path, segmentFolder, reads, () => source.close())
}

class FollowedSource {
  readonly #reopen: () => Promise<ReadSource>
  #current: Promise<ReadSource>

  constructor(first: ReadSource, reopen: () => Promise<ReadSource>) {
    this.#current = Promise.resolve(first)
    this.#reopen = reopen
  }

  async call<T>(work: (directory: CrawlDirectory) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const current = this.#current
      try {
        return await work((await current).directory)
      } catch (error) {
        this.#follow(error, current, attempt)
      }
    }
  }

  async *stream<T>(work: (directory: CrawlDirectory) => AsyncIterable<T>): AsyncGenerator<T> {
    for (let attempt = 1, hasBegun = false; ; attempt++) {
      const current = this.#current
      try {
        for await (const value of work((await current).directory)) {
          hasBegun = true
          yield value
        }
        return
      } catch (error) {
        if (hasBegun) throw error
        this.#follow(error, current, attempt)
      }
    }
  }

  async close(): Promise<void> {
    const source = await this.#current.catch(() => undefined)
    await source?.directory.close()
  }

  /** Concurrent calls share one new source. @throws error if it was not the end of the owner */
  #follow(error: unknown, failed: Promise<ReadSource>, attempt: number): void {
    if (!(error instanceof OwnerGone) || attempt === MAX_ATTEMPTS) throw error
    if (this.#current === failed) this.#current = this.#reopen()
  }
}

const MAX_ATTEMPTS = 5
