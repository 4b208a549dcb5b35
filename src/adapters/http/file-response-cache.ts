import { hash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type Clock, steadyClock } from '../../base/clock.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { FetchedBody, FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { FetchRequest, ResponseCache } from '../../domain/fetch/fetcher.ts'
import { headerValues } from '../../domain/fetch/headers.ts'
import { requestFingerprint } from '../../domain/url/fingerprint.ts'
import type { CookieJar } from './cookie-jar.ts'

export interface FileResponseCacheOptions {
  /** Made when the first response is kept. */
  readonly directory: string
  /** Older responses are fetched again. @default for ever */
  readonly maxAgeMs?: number
  /** Gets the cookies of every response found, as if it had just come: a login from the cache must be one. @default none */
  readonly cookies?: CookieJar
  /** @default steadyClock */
  readonly clock?: Clock
}

/**
 * A folder of responses, for work on a spider: each as `<2 hex>/<30 hex>.json`, its decoded body next to it as `.body`, named after method,
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

  /** `undefined`: never kept, damaged, or kept for a request without `keepErrorBody`. */
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

function parse(text: Uint8Array | undefined): Description | undefined {
  if (text === undefined) return undefined
  try {
    return DESCRIPTION.parse(JSON.parse(Buffer.from(text).toString()))
  } catch {
    return undefined
  }
}

/** Writes the whole file or nothing, also with concurrent writers. */
async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  await writeFile(temporary, content, { mode: 0o600 })
  await rename(temporary, file)
}

/** Outcomes that are kept, to work on a spider without further requests. */
type KeptOutcome = Extract<
  FetchOutcome,
  { readonly kind: 'success' | 'moved' | 'not-found' | 'gone' | 'access-denied' }
>

/** Whether the server has said all it has to say. A busy or broken one, or a broken line, may do better next time. */
function isWorthKeeping(outcome: FetchOutcome): outcome is KeptOutcome {
  switch (outcome.kind) {
    case 'moved':
      return true
    case 'success':
    case 'not-found':
    case 'gone':
    case 'access-denied':
      return outcome.body?.truncated !== 'disconnect' && outcome.body?.truncated !== 'time'
    default:
      return false
  }
}

/** An outcome as JSON can hold it: the bytes of the body are elsewhere, and a digest stands for them. */
type OutcomeDescription = z.infer<typeof OUTCOME_DESCRIPTION>

const OUTCOME_DESCRIPTION = z.object({
  outcome: z.looseObject({}),
  body: z.looseObject({ sha256: z.string() }).exactOptional(),
})

const DESCRIPTION = OUTCOME_DESCRIPTION.extend({ errorBodyWanted: z.boolean() })

type Description = z.infer<typeof DESCRIPTION>

/** The key of the response in the stored file. */
const RESPONSE_KEY = 'answer'

function describeOutcome({ response, ...outcome }: KeptOutcome): OutcomeDescription {
  if (outcome.kind === 'moved' || outcome.body === undefined)
    return { outcome: { ...outcome, [RESPONSE_KEY]: response } }
  const { bytes, ...body } = outcome.body
  return {
    outcome: { ...outcome, [RESPONSE_KEY]: response, body: undefined },
    body: { ...body, sha256: hash('sha256', bytes) },
  }
}

/** The outcome that was described; `undefined` if the description is damaged or does not belong to these bytes. */
function rebuildOutcome(
  { outcome: { [RESPONSE_KEY]: response, ...outcome }, body }: OutcomeDescription,
  bytes: Uint8Array | undefined,
): KeptOutcome | undefined {
  if (body === undefined) return OUTCOME.safeParse({ ...outcome, response }).data
  if (bytes === undefined || hash('sha256', bytes) !== body.sha256) return undefined
  return OUTCOME.safeParse({ ...outcome, response, body: { ...body, bytes } }).data
}

function bodyOf(outcome: KeptOutcome): FetchedBody | undefined {
  return outcome.kind === 'moved' ? undefined : outcome.body
}

const HEADERS = z.array(z.tuple([z.string(), z.string()]))

const BASE = {
  url: z.string(),
  timings: z.object({
    startedAt: z.number(),
    dnsMs: z.number().exactOptional(),
    connectMs: z.number().exactOptional(),
    headersMs: z.number().exactOptional(),
    totalMs: z.number(),
  }),
  response: z.object({
    status: z.number(),
    headers: HEADERS,
    requestHeaders: HEADERS,
    address: z.string(),
    protocol: z.string(),
  }),
}

const BODY = z.object({
  bytes: z.instanceof(Uint8Array),
  wireBytes: z.number(),
  decoded: z.array(z.string()),
  truncated: z.enum(['size', 'disconnect', 'time', 'encoding', 'partial']).exactOptional(),
})

const OUTCOME: z.ZodType<KeptOutcome> = z.discriminatedUnion('kind', [
  z.object({ ...BASE, kind: z.literal('success'), body: BODY }),
  z.object({ ...BASE, kind: z.literal('moved'), to: z.string(), permanent: z.boolean() }),
  z.object({ ...BASE, kind: z.literal('not-found'), body: BODY.exactOptional() }),
  z.object({ ...BASE, kind: z.literal('gone'), body: BODY.exactOptional() }),
  z.object({ ...BASE, kind: z.literal('access-denied'), body: BODY.exactOptional() }),
])
