import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { CookieState } from './cookie-jar.ts'
import type { CookieMemory } from './keep-cookies.ts'
import { SENDABLE } from './set-cookie.ts'

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
      return STATES.parse(JSON.parse(text))
    } catch {
      return []
    }
  }

  async save(states: readonly CookieState[]): Promise<void> {
    await replaceFile(this.#file, [JSON.stringify(states)], { mode: 0o600 })
  }
}

const STATES: z.ZodType<CookieState[]> = z.array(
  z.object({
    site: z.string(),
    name: z.string().regex(SENDABLE),
    value: z.string().regex(SENDABLE),
    domain: z.string(),
    hostOnly: z.boolean(),
    path: z.string(),
    secure: z.boolean(),
    expiresAt: z.number(),
  }),
)
