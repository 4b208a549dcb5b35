import { getCACertificates } from 'node:tls'
import { type Dispatcher, Pool } from 'undici'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { printable } from '../../base/printable.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { type Attempt, type Patience, tryPatiently } from './try-patiently.ts'

export interface IndexServerOptions extends Patience {
  /** For people, without passwords. */
  readonly name: string
  /** `https://search.example:9200` */
  readonly origin: string
  /** The value of the header. @default none is sent */
  readonly authorization?: string
  /** Certificates (PEM) trusted in addition to the system's. */
  readonly certificates?: string
  /** How long a response may let wait. @default 120_000, since a commit may take long */
  readonly timeoutMs?: number
}

export interface ServerRequest {
  readonly method: 'HEAD' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: string
  /** @default 'application/json' */
  readonly contentType?: string
}

/** A response that is neither busy nor about who we are. */
export interface IndexServerResponse {
  readonly status: number
  readonly text: string
}

/**
 * A search engine behind HTTP. Not the crawler's way to the web: no robots.txt, no queue, no care for private addresses, for the operator
 * named it; and no redirects, which would carry the password away.
 */
export class IndexServer {
  readonly name: string
  readonly #patience: Patience
  readonly #headers: Readonly<Record<string, string>>
  readonly #pool: Pool

  constructor(options: IndexServerOptions) {
    const { name, origin, authorization, certificates, timeoutMs = 120_000 } = options
    this.name = name
    this.#patience = options
    this.#headers = {
      accept: 'application/json',
      ...withoutUndefined({ authorization }),
    }
    this.#pool = new Pool(origin, {
      connections: 1,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: {
        timeout: Math.min(timeoutMs, 10_000),
        rejectUnauthorized: true,
        ...(certificates !== undefined && { ca: [...getCACertificates('default'), certificates] }),
      },
    })
  }

  /** Sends a request and retries while the server is busy. @throws IndexUnavailable, ConfigurationError */
  request(request: ServerRequest): Promise<IndexServerResponse> {
    return this.patiently(() => this.attempt(request))
  }

  /** For what is busy in parts: `attempt` decides by itself what to send again. */
  patiently<T>(attempt: () => Promise<Attempt<T>>): Promise<T> {
    return tryPatiently(this.name, this.#patience, attempt)
  }

  /** Sends a request once. @throws ConfigurationError */
  async attempt({ method, path, body, contentType }: ServerRequest): Promise<Attempt<IndexServerResponse>> {
    const { signal } = this.#patience
    try {
      const response = await this.#pool.request({
        method,
        path,
        headers: {
          ...this.#headers,
          ...(body !== undefined && { 'content-type': contentType ?? 'application/json' }),
        },
        ...withoutUndefined({ body, signal }),
      })
      return this.#judge(response, await response.body.text())
    } catch (error) {
      return this.#failure(error)
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }

  #judge(
    { statusCode: status, headers }: Dispatcher.ResponseData,
    text: string,
  ): Attempt<IndexServerResponse> {
    if (BUSY.has(status) || status >= 500)
      return {
        kind: 'busy',
        reason: `it returned ${status}, ${printable(text)}`,
        retryAfterMs: retryAfterMs(headers['retry-after'], this.#patience.clock.now()),
      }
    if (status === 401) throw this.misuse('it wants a user and a password, or others than it was given')
    if (status === 403) throw this.misuse(`it forbids this: ${printable(text)}`)
    if (status >= 300 && status < 400)
      throw this.misuse(`it is elsewhere: it returned ${status} to ${printable(String(headers['location']))}`)
    return { kind: 'done', value: { status, text } }
  }

  #failure(error: unknown): Attempt<IndexServerResponse> {
    if (error instanceof ConfigurationError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    // Two addresses refused are an error without words.
    const reason = printable(message === '' ? String(code) : message)
    if (NO_TRUST.test(String(code)))
      throw this.misuse(`no safe connection: ${reason}. An authority of your own is named with ?caFile=…`)
    if (code === 'UND_ERR_INVALID_ARG') throw this.misuse(reason)
    return { kind: 'busy', reason: `no response: ${reason}` }
  }

  /** The server is not what its target says. */
  misuse(why: string): ConfigurationError {
    return new ConfigurationError('INDEX_TARGET_INVALID', `${this.name}: ${why}`)
  }
}

const BUSY = new Set([408, 425, 429])

const NO_TRUST = /^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_)/

function retryAfterMs(value: string | string[] | undefined, nowMs: number): number {
  const text = String(value)
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  return Number.isNaN(waitMs) ? 0 : waitMs
}

/** A change as it is sent. */
export interface Part {
  readonly id: string
  readonly text: string
}

export interface RequestSize {
  readonly maxParts: number
  /** Of UTF-8. A larger part is sent alone. @default 10 MiB, which servers and proxies usually accept */
  readonly maxBytes?: number | undefined
}

/** Deals parts out to requests of a bounded size, in their order. */
export function* inRequests(
  parts: Iterable<Part>,
  { maxParts, maxBytes = 10 * 1024 * 1024 }: RequestSize,
): Generator<Part[]> {
  let request: Part[] = []
  let bytes = 0
  for (const part of parts) {
    const partBytes = Buffer.byteLength(part.text)
    if (request.length > 0 && (request.length === maxParts || bytes + partBytes > maxBytes)) {
      yield request
      request = []
      bytes = 0
    }
    request.push(part)
    bytes += partBytes
  }
  if (request.length > 0) yield request
}
