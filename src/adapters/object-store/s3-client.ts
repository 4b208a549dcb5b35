import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher, request as send } from 'undici'
import { type Clock, wait } from '../../base/clock.ts'
import { ObjectStoreUnavailable } from '../../domain/object-store/object-store.ts'
import type { OutageNotices } from './outage-notices.ts'
import type { S3Credentials } from './s3-credentials.ts'
import type { S3Endpoint } from './s3-endpoint.ts'
import { type S3Failure, s3FailureKind, s3Refusal } from './s3-failures.ts'
import { xmlText } from './s3-xml.ts'

export interface S3ClientOptions {
  /** For people: `s3://bucket/prefix`. */
  readonly url: string
  readonly endpoint: S3Endpoint
  /** Called for the first request, and again when the store rejects the credentials. */
  readonly readCredentials: () => Promise<S3Credentials>
  readonly notices: OutageNotices
  /** Of one request, while the store is away. */
  readonly maxAttempts: number
  readonly clock: Clock
  /** From 0 to 1, for the back-off. */
  readonly random: () => number
}

export interface S3Request {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT'
  /** In the bucket. @default '': the bucket itself */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export interface S3Response<Body> {
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  /** `undefined` for the failures that callers expect: no such object, or a condition that is not fulfilled. */
  readonly body: Body | undefined
  /** An earlier attempt got no response, so the request may have been executed twice. */
  readonly isRepeated: boolean
}

type Attempt<Body> =
  | { readonly kind: 'response'; readonly response: Omit<S3Response<Body>, 'isRepeated'> }
  | { readonly kind: 'failure'; readonly failure: S3Failure; readonly credentials: S3Credentials }
  | { readonly kind: 'broken'; readonly error: Error }

/** Signed requests to one bucket, repeated with back-off after transient failures. */
export class S3Client {
  readonly #options: S3ClientOptions
  readonly #agent = new Agent({
    connections: 16,
    connect: { timeout: 10_000 },
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  })
  /** The signing key of the day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>()
  #credentials: Promise<S3Credentials> | undefined
  #wasReached = false

  constructor(options: S3ClientOptions) {
    this.#options = options
  }

  /** The response with its whole body. @throws ObjectStoreUnavailable, ObjectStoreRefused */
  request(request: S3Request): Promise<S3Response<string>> {
    return this.#repeat(request, (body) => body.text())
  }

  /** The response with a body to read; failures while it is read are the caller's. @throws ObjectStoreUnavailable, ObjectStoreRefused */
  open(request: S3Request): Promise<S3Response<Dispatcher.ResponseData['body']>> {
    return this.#repeat(request, async (body) => body)
  }

  /** Waits before the next attempt. @throws ObjectStoreUnavailable if `attempts` are enough */
  async backOff(attempts: number, reason: string): Promise<void> {
    const { clock, random, url, endpoint, notices, maxAttempts } = this.#options
    // A wrong address is reported soon; a store that worked a moment ago may be restarting.
    if (attempts >= (this.#wasReached ? maxAttempts : FEW_ATTEMPTS))
      throw new ObjectStoreUnavailable(
        `${url}: ${reason}, ${attempts} times in a row. Check the endpoint (${endpoint.origin}) and the network`,
      )
    if (attempts === FEW_ATTEMPTS)
      notices.retrying(reason, clock.now() + longestRetriesMs(attempts, maxAttempts))
    await wait(clock, longestBackOffMs(attempts) * (0.5 + random() / 2))
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  async #repeat<Body>(
    request: S3Request,
    read: (body: Dispatcher.ResponseData['body']) => Promise<Body>,
  ): Promise<S3Response<Body>> {
    const { endpoint, url, clock, notices } = this.#options
    let isRepeated = false
    let hasNewCredentials = false
    for (let attempts = 1; ; attempts++) {
      const attempt = await this.#attempt(request, read)
      if (attempt.kind === 'response') {
        notices.responded()
        return { ...attempt.response, isRepeated }
      }
      if (attempt.kind === 'broken') {
        isRepeated = true
        await this.backOff(attempts, `the connection failed (${causeText(attempt.error)})`)
        continue
      }
      const { failure, credentials } = attempt
      const kind = s3FailureKind(failure)
      if (kind === 'retry') {
        isRepeated ||= failure.status >= 500
        await this.backOff(
          attempts,
          `the object store returned ${failure.status} ${failure.code ?? ''}`.trim(),
        )
      } else if (
        kind === 'credentials' &&
        !hasNewCredentials &&
        (await this.#renewCredentials(credentials))
      ) {
        hasNewCredentials = true
      } else throw s3Refusal(failure, request, { endpoint, url, nowMs: clock.now() })
    }
  }

  async #attempt<Body>(
    request: S3Request,
    read: (body: Dispatcher.ResponseData['body']) => Promise<Body>,
  ): Promise<Attempt<Body>> {
    const credentials = await this.#readCredentials()
    const signed = await this.#sign(request, credentials)
    try {
      const response = await send(signed.url, {
        dispatcher: this.#agent,
        method: request.method,
        headers: signed.headers,
        body: request.body ?? null,
      })
      const { statusCode: status, headers } = response
      if (status < 300) {
        const body = await read(response.body)
        this.#wasReached = true
        // The end of a multipart upload may take minutes: the status is sent before its outcome is known.
        if (typeof body === 'string' && /^\s*(?:<\?xml[^>]*>\s*)?<Error>/.test(body))
          return { kind: 'failure', failure: parseFailure(500, headers, body), credentials }
        return { kind: 'response', response: { status, headers, body } }
      }
      const text = await response.body.text()
      const failure = parseFailure(status, headers, text)
      if (failure.code !== undefined) this.#wasReached = true
      if (s3FailureKind(failure) !== 'done' && !(status === 404 && request.method === 'HEAD'))
        return { kind: 'failure', failure, credentials }
      return { kind: 'response', response: { status, headers, body: undefined } }
    } catch (error) {
      return { kind: 'broken', error: error as Error }
    }
  }

  async #sign(
    { method, key = '', query = {}, headers = {}, body }: S3Request,
    { accessKeyId, secretAccessKey, sessionToken }: S3Credentials,
  ) {
    const { endpoint, clock } = this.#options
    const url = `${endpoint.bucketUrl}/${encodeKey(key)}`
    const search = new URLSearchParams(query).toString()
    const signer = new AwsV4Signer({
      method,
      url: search === '' ? url : `${url}?${search.replaceAll('+', '%20')}`,
      headers: {
        ...headers,
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region: endpoint.region,
      cache: this.#signingKeys,
      datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    })
    const signed = await signer.sign()
    return { url: signed.url, headers: Object.fromEntries(signed.headers) }
  }

  #readCredentials(): Promise<S3Credentials> {
    this.#credentials ??= this.#options.readCredentials().catch((error: unknown) => {
      this.#credentials = undefined
      throw error
    })
    return this.#credentials
  }

  /** Reads the credentials anew, unless another request has already. `false` if they are still the rejected ones. */
  async #renewCredentials(rejected: S3Credentials): Promise<boolean> {
    if ((await this.#readCredentials()) === rejected) this.#credentials = undefined
    const now = await this.#readCredentials()
    return now.secretAccessKey !== rejected.secretAccessKey || now.sessionToken !== rejected.sessionToken
  }
}

/** @param attempts so far */
function longestBackOffMs(attempts: number): number {
  return Math.min(BACK_OFF_MS * 2 ** attempts, MAX_BACK_OFF_MS)
}

/** Until the last attempt. */
function longestRetriesMs(attempts: number, maxAttempts: number): number {
  if (attempts >= maxAttempts) return 0
  return longestBackOffMs(attempts) + longestRetriesMs(attempts + 1, maxAttempts)
}

const BACK_OFF_MS = 100
const MAX_BACK_OFF_MS = 20_000
/** About a second in total: a wrong address is reported soon. A store is often busy for so long: no warning is needed. */
const FEW_ATTEMPTS = 4

function parseFailure(status: number, headers: Dispatcher.ResponseData['headers'], xml: string): S3Failure {
  const isS3 = xml.includes('<Error>')
  const header = (name: string) => headers[name]?.toString()
  return {
    status,
    code: isS3 ? xmlText(xml, 'Code') : undefined,
    message: isS3 ? xmlText(xml, 'Message') : undefined,
    region: header('x-amz-bucket-region') ?? xmlText(xml, 'Region'),
    date: header('date'),
  }
}

/** As the signature has it. Characters that `encodeURIComponent` leaves are encoded by the store, too. */
function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

function causeText(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  return code ?? error.message
}
