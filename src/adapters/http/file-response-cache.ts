import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type Clock, steadyClock } from '../../base/clock.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { FetchRequest } from '../../domain/fetch/fetcher.ts'
import { headerValues } from '../../domain/fetch/headers.ts'
import type { ResponseCache } from '../../domain/fetch/response-cache.ts'
import { requestFingerprint } from '../../domain/url/fingerprint.ts'
import type { CookieJar } from './cookie-jar.ts'
import {
  bodyOf,
  describeOutcome,
  isWorthKeeping,
  type KeptOutcome,
  OUTCOME_DESCRIPTION,
  rebuildOutcome,
} from './kept-outcome.ts'

export interface FileResponseCacheOptions {
  /** Made when the first response is kept. */
  readonly directory: string
  /** Older responses are asked for again. @default for ever */
  readonly maxAgeMs?: number
  /** Gets the cookies of every response found, as if it had just come: a login from the cache must be one. @default none */
  readonly cookies?: CookieJar
  /** @default steadyClock */
  readonly clock?: Clock
}

/**
 * A folder of responses, for work on a spider: each as `<2 hex>/<30 hex>.json`, its decoded body beside it as `.body`, named after method,
 * URL and body of the request.
 *
 * Headers are kept whole, the secrets among them (Cookie, Authorization, Set-Cookie): what is found equals what was kept, and a login
 * without its Set-Cookie would be none. The body of a request, where passwords are, is not kept. So the files are for their owner's eyes
 * alone (mode 0600), and the folder is nothing to publish.
 */
export class FileResponseCache implements ResponseCache {
  readonly #clock: Clock
  readonly #directory: string
  readonly #maxAgeMs: number
  readonly #cookies: CookieJar | undefined

  constructor(options: FileResponseCacheOptions) {
    const { directory, maxAgeMs = Number.POSITIVE_INFINITY, cookies, clock = steadyClock } = options
    this.#clock = clock
    this.#directory = directory
    this.#maxAgeMs = maxAgeMs
    this.#cookies = cookies
  }

  async find(request: FetchRequest): Promise<FetchOutcome | undefined> {
    const outcome = await this.#read(request)
    if (outcome === undefined || outcome.url !== request.url) return undefined
    if (this.#clock.now() - outcome.timings.startedAt > this.#maxAgeMs) return undefined
    this.#cookies?.store(headerValues(outcome.response.headers, 'set-cookie'), new URL(outcome.url))
    return outcome
  }

  async keep(request: FetchRequest, outcome: FetchOutcome): Promise<void> {
    if (!isWorthKeeping(outcome)) return
    const path = this.#pathOf(request)
    const description: Description = {
      ...describeOutcome(outcome),
      errorBodyWanted: request.keepErrorBody === true,
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    // The description last: without it there is no response, and with an earlier one the digest tells that this body is not its own.
    const body = bodyOf(outcome)
    if (body !== undefined) await replaceFile(`${path}.body`, body.bytes)
    await replaceFile(`${path}.json`, JSON.stringify(description))
  }

  /** `undefined`: never kept, damaged, or kept for somebody who wanted less of it. */
  async #read(request: FetchRequest): Promise<KeptOutcome | undefined> {
    const path = this.#pathOf(request)
    const description = parse(await ifExists(readFile(`${path}.json`)))
    if (description === undefined) return undefined
    const bytes = description.body === undefined ? undefined : await ifExists(readFile(`${path}.body`))
    const outcome = rebuildOutcome(description, bytes)
    const isLess = isError(outcome) && request.keepErrorBody === true && !description.errorBodyWanted
    return isLess ? undefined : outcome
  }

  #pathOf({ method = 'GET', url, body }: FetchRequest): string {
    const name = requestFingerprint(method, url, body).toString(16).padStart(32, '0')
    return join(this.#directory, name.slice(0, 2), name.slice(2))
  }
}

function isError(outcome: KeptOutcome | undefined): boolean {
  return outcome !== undefined && outcome.kind !== 'success' && outcome.kind !== 'moved'
}

const DESCRIPTION = OUTCOME_DESCRIPTION.extend({ errorBodyWanted: z.boolean() })

type Description = z.infer<typeof DESCRIPTION>

function parse(text: Uint8Array | undefined): Description | undefined {
  if (text === undefined) return undefined
  try {
    return DESCRIPTION.parse(JSON.parse(Buffer.from(text).toString()))
  } catch {
    return undefined
  }
}

/** Whole or not at all, whoever else writes it at the same time. */
async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  await writeFile(temporary, content, { mode: 0o600 })
  await rename(temporary, file)
}
