import type { Context } from 'hono'
import type { ApiErrorCode, ErrorResponse } from './responses.ts'

/** Sends an error with the HTTP status of its code. */
export function sendError(context: Context, code: ApiErrorCode, message: string): Response {
  const seconds = RETRY_SECONDS[code]
  if (seconds !== undefined) context.header('retry-after', String(seconds))
  return context.json({ error: { code, message } } satisfies ErrorResponse, STATUS[code])
}

const RETRY_SECONDS: Partial<Record<ApiErrorCode, number>> = {
  busy: 1,
  'too-many-attempts': 60,
  'too-many-streams': 10,
}

const STATUS = {
  'bad-request': 400,
  'forbidden-host': 403,
  'cross-site': 403,
  'not-found': 404,
  'not-running': 409,
  method: 405,
  'content-type': 415,
  conflict: 409,
  'too-large': 413,
  csrf: 403,
  'token-required': 401,
  'token-invalid': 401,
  'too-many-attempts': 429,
  'too-many-streams': 503,
  failed: 500,
  busy: 429,
  'too-slow': 504,
} as const satisfies Record<ApiErrorCode, number>
