import { formatDuration } from '../../base/format-values.ts'
import { printable } from '../../base/printable.ts'
import { ObjectStoreRefused, type RefusalReason } from '../../domain/object-store/object-store.ts'
import type { S3Endpoint } from './s3-endpoint.ts'

/** A response that is not a success. */
export interface S3Failure {
  readonly status: number
  /** Of the store, such as `NoSuchBucket`; `undefined` if the body is not one of S3. */
  readonly code: string | undefined
  readonly message: string | undefined
  readonly region: string | undefined
  /** The header Date. */
  readonly date: string | undefined
}

/** What to do after a failure: `done` leaves it to the caller. */
export type S3FailureKind = 'done' | 'retry' | 'credentials' | 'refused'

/** Failures that requests expect: no such object or upload, and a condition that is not fulfilled. */
const EXPECTED_CODES = new Set(['NoSuchKey', 'NoSuchUpload', 'PreconditionFailed'])

const TRANSIENT_CODES = new Set([
  ...['BadDigest', 'ConditionalRequestConflict', 'IncompleteBody', 'InternalError', 'OperationAborted'],
  ...['RequestTimeout', 'ServiceUnavailable', 'SlowDown', 'XAmzContentSHA256Mismatch'],
])

const CREDENTIAL_CODES = new Set([
  ...['ExpiredToken', 'ExpiredTokenException', 'InvalidToken', 'InvalidAccessKeyId', 'TokenRefreshRequired'],
])

export function s3FailureKind({ status, code }: S3Failure): S3FailureKind {
  if (code !== undefined && EXPECTED_CODES.has(code)) return 'done'
  // The response to HEAD has no body.
  if (code === undefined && status === 412) return 'done'
  if (code !== undefined && CREDENTIAL_CODES.has(code)) return 'credentials'
  if (code !== undefined && TRANSIENT_CODES.has(code)) return 'retry'
  return status === 408 || status === 429 || (status >= 500 && status !== 501) ? 'retry' : 'refused'
}

/** The part of a request that tells which permission it needs. */
export interface RefusedRequest {
  readonly method: string
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
}

/** The store that refuses a request. */
export interface RefusingStore {
  readonly endpoint: S3Endpoint
  /** For people: `s3://bucket/prefix`. */
  readonly url: string
  readonly nowMs: number
}

/** One line: what happened, why, and what to do. */
export function s3Refusal(
  failure: S3Failure,
  request: RefusedRequest,
  { endpoint: { origin, region }, url, nowMs }: RefusingStore,
): ObjectStoreRefused {
  const { status, message } = failure
  // The response to HEAD has no body.
  const code = failure.code ?? (request.method === 'HEAD' && status === 403 ? 'AccessDenied' : undefined)
  const refused = (reason: RefusalReason, text: string) => new ObjectStoreRefused(reason, `${url}: ${text}`)
  switch (code) {
    case 'NoSuchBucket':
      return refused('bucket-missing', `there is no such bucket at ${origin}. Create it, or correct the name`)
    case 'RequestTimeTooSkewed':
      return refused('clock-skew', `${skewText(failure.date, nowMs)}. Set the clock, for example with NTP`)
    case 'InvalidAccessKeyId':
      return refused(
        'credentials-unknown',
        `${origin} does not know the access key id. Check AWS_ACCESS_KEY_ID or the AWS profile, and the endpoint`,
      )
    case 'SignatureDoesNotMatch':
      return refused(
        'credentials-unknown',
        'the secret access key does not belong to the access key id. Check AWS_SECRET_ACCESS_KEY or the AWS profile',
      )
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
      return refused(
        'wrong-region',
        `the bucket is not in the region ${region}${failure.region === undefined ? '' : `, but in ${failure.region}`}. Set objectStore.region or AWS_REGION`,
      )
    case 'AccessDenied':
    case 'AllAccessDisabled':
    case 'AccountProblem':
      return permissionDenied(code, accessOf(request), url)
  }
  if (code !== undefined && CREDENTIAL_CODES.has(code))
    return refused(
      'credentials-expired',
      `the credentials have expired (${code}). Sign in again, or replace AWS_SESSION_TOKEN and its keys`,
    )
  if (code === undefined)
    return refused(
      'not-a-store',
      `${origin} returned ${status} without an error of S3, so it is probably not an S3 endpoint. Check objectStore.endpoint or AWS_ENDPOINT_URL`,
    )
  return refused('other', `the object store returned ${status} ${code}: ${printable(message ?? '')}`)
}

/** What a request needs. */
export interface S3Access {
  /** In the bucket: a key, or the start of one. */
  readonly path: string
  readonly verb: 'deleted' | 'listed' | 'put' | 'read'
}

const PERMISSIONS: Readonly<Record<S3Access['verb'], string>> = {
  deleted: 's3:DeleteObject',
  listed: 's3:ListBucket',
  put: 's3:PutObject',
  read: 's3:GetObject',
}

function accessOf({ method, key, query }: RefusedRequest): S3Access {
  if (key === undefined && method === 'GET') return { path: query?.['prefix'] ?? '', verb: 'listed' }
  if (key === undefined || method === 'DELETE') return { path: key ?? '', verb: 'deleted' }
  return { path: key, verb: method === 'GET' || method === 'HEAD' ? 'read' : 'put' }
}

/** @param url in the bucket */
export function permissionDenied(code: string, { path, verb }: S3Access, url: string): ObjectStoreRefused {
  const [bucket] = /^s3:\/\/[^/]+/i.exec(url) ?? [url]
  return new ObjectStoreRefused(
    'permission-denied',
    `${bucket}/${printable(path)} cannot be ${verb}: the credentials do not permit it (${code}). Grant ${PERMISSIONS[verb]} on the bucket and its prefix`,
  )
}

function skewText(date: string | undefined, nowMs: number): string {
  const serverMs = Date.parse(date ?? '')
  if (Number.isNaN(serverMs))
    return 'the clock of this machine differs too much from that of the object store'
  const direction = serverMs > nowMs ? 'behind' : 'ahead of'
  return `the clock of this machine is ${formatDuration(Math.abs(serverMs - nowMs))} ${direction} the object store`
}
