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

/** One line: what happened, why, and what to do. */
export function s3Refusal(
  failure: S3Failure,
  { origin, region }: S3Endpoint,
  url: string,
  nowMs: number,
): ObjectStoreRefused {
  const { status, code, message } = failure
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
      return refused(
        'permission-denied',
        `the credentials do not permit this (${code}). Grant s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket on the bucket and its prefix`,
      )
  }
  if (code !== undefined && CREDENTIAL_CODES.has(code))
    return refused(
      'credentials-expired',
      `the credentials have expired (${code}). Sign in again, or replace AWS_SESSION_TOKEN and its keys; the next run resumes`,
    )
  if (code === undefined)
    return refused(
      'not-a-store',
      `${origin} returned ${status} without an error of S3, so it is probably not an S3 endpoint. Check objectStore.endpoint or AWS_ENDPOINT_URL`,
    )
  return refused('other', `the object store returned ${status} ${code}: ${printable(message ?? '')}`)
}

function skewText(date: string | undefined, nowMs: number): string {
  const serverMs = Date.parse(date ?? '')
  if (Number.isNaN(serverMs))
    return 'the clock of this machine differs too much from that of the object store'
  const direction = serverMs > nowMs ? 'behind' : 'ahead of'
  return `the clock of this machine is ${formatDuration(Math.abs(serverMs - nowMs))} ${direction} the object store`
}
