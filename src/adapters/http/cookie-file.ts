import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import { readCookie } from '../../domain/fetch/cookie.ts'
import type { CookieState } from './cookie-jar.ts'
import type { CookieMemory } from './keep-cookies.ts'

/**
 * The cookies of a crawl in `cookies.json` of its directory, readable by its owner alone: cookies are logins.
 * A file that cannot be understood counts as none.
 */
export class CookieFile implements CookieMemory {
  readonly #file: string

  constructor(crawlDirectory: string) {
    this.#file = join(crawlDirectory, 'cookies.json')
  }

  async load(): Promise<readonly CookieState[]> {
    const text = await ifExists(readFile(this.#file, 'utf8'))
    if (text === undefined) return []
    try {
      const states: unknown = JSON.parse(text)
      return Array.isArray(states) ? states.map(readState) : []
    } catch {
      return []
    }
  }

  async save(states: readonly CookieState[]): Promise<void> {
    await replaceFile(this.#file, [JSON.stringify(states)], { mode: 0o600 })
  }
}

function readState(value: unknown): CookieState {
  const cookie = readCookie(value)
  const { site } = value as { readonly site?: unknown }
  if (cookie === undefined || typeof site !== 'string') throw new TypeError('not a cookie')
  return { site, ...cookie }
}
