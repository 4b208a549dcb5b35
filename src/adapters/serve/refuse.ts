import type { Context } from 'hono'
import type { Refusal, RefusalCode } from './answers.ts'

/** Says no, with the HTTP status that goes with the code. */
export function refuse(context: Context, code: RefusalCode, message: string): Response {
  if (code === 'busy') context.header('retry-after', '1')
  return context.json({ error: { code, message } } satisfies Refusal, STATUS[code])
}

const STATUS = {
  'bad-request': 400,
  'forbidden-host': 403,
  'cross-site': 403,
  'not-found': 404,
  failed: 500,
  busy: 429,
  'too-slow': 504,
} as const satisfies Record<RefusalCode, number>
