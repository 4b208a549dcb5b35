import type { Context } from 'hono'
import type { ApiErrorCode, ErrorResponse } from './responses.ts'

/** Sends an error with the HTTP status of its code. */
export function sendError(context: Context, code: ApiErrorCode, message: string): Response {
  if (code === 'busy') context.header('retry-after', '1')
  return context.json({ error: { code, message } } satisfies ErrorResponse, STATUS[code])
}

const STATUS = {
  'bad-request': 400,
  'forbidden-host': 403,
  'cross-site': 403,
  'not-found': 404,
  failed: 500,
  busy: 429,
  'too-slow': 504,
} as const satisfies Record<ApiErrorCode, number>
