import { ownCopy, sharedCopy } from '../../base/own-copy.ts'
import type { NormalizedUrl, UrlNormalizer } from './normalize-url.ts'

/** The resolved links of pages in one directory, by `href`. */
export interface KnownLinks {
  get(href: string): NormalizedUrl | undefined
  /** `href` must not share memory with a page. */
  set(href: string, resolved: NormalizedUrl): void
}

/**
 * The links that were resolved in a directory of a site, `http://host/dir/`. `undefined` for the first page of a directory: a crawl over many
 * sites sees most links once, and should not remember them.
 */
export function knownLinks(normalize: UrlNormalizer, directory: string): KnownLinks | undefined {
  const memory = memories.get(normalize) ?? new LinkMemory()
  memories.set(normalize, memory)
  return memory.linksOf(directory)
}

const memories = new WeakMap<UrlNormalizer, LinkMemory>()

/** About 2 MB for links of usual length. */
const MAX_LINKS = 10_000
const MAX_DIRECTORIES = 10_000

/** Emptied when full: filling it again is cheap. */
class LinkMemory {
  /** Empty after the first page of a directory. */
  readonly #directories = new Map<string, RememberedLinks>()
  #links = 0

  linksOf(directory: string): KnownLinks | undefined {
    const known = this.#directories.get(directory)
    if (known !== undefined) return known
    if (this.#directories.size >= MAX_DIRECTORIES) this.#clear()
    this.#directories.set(ownCopy(directory), new RememberedLinks(() => this.#count()))
    return undefined
  }

  /** Called for each new link. */
  #count(): void {
    if (++this.#links > MAX_LINKS) this.#clear()
  }

  #clear(): void {
    for (const links of this.#directories.values()) links.clear()
    this.#directories.clear()
    this.#links = 0
  }
}

class RememberedLinks implements KnownLinks {
  readonly #byHref = new Map<string, NormalizedUrl>()
  readonly #onNew: () => void

  constructor(onNew: () => void) {
    this.#onNew = onNew
  }

  get(href: string): NormalizedUrl | undefined {
    return this.#byHref.get(href)
  }

  set(href: string, resolved: NormalizedUrl): void {
    this.#onNew()
    this.#byHref.set(href, resolved.ok ? { ok: true, url: sharedCopy(resolved.url) } : resolved)
  }

  clear(): void {
    this.#byHref.clear()
  }
}
