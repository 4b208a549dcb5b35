import type { Context } from 'hono'
import type { z } from 'zod'
import { problemsOf } from './api-parameters.ts'
import { sendError } from './send-error.ts'

export interface ReadBodyOptions {
  readonly maxBytes: number
  /** Value of an empty body. @default an empty body is invalid */
  readonly empty?: unknown
}

/** The JSON body of a request. A `Response`: it is not valid. */
export async function readBody<T>(
  context: Context,
  schema: z.ZodType<T>,
  { maxBytes, empty }: ReadBodyOptions,
): Promise<T | Response> {
  const header = context.req.header('content-length')
  const isEmpty =
    header === '0' || (header === undefined && context.req.header('transfer-encoding') === undefined)
  const length = Number(header ?? Number.NaN)
  if (length > maxBytes)
    return sendError(context, 'too-large', `The body is longer than ${maxBytes} bytes; send it in parts.`)
  if (!(isEmpty && empty !== undefined) && !(length <= maxBytes))
    return sendError(context, 'bad-request', 'The body, or its Content-Length, is missing.')
  const value: unknown = isEmpty ? empty : await context.req.json().catch(() => NOT_JSON)
  if (value === NOT_JSON) return sendError(context, 'bad-request', 'The body is not JSON.')
  const parsed = schema.safeParse(value)
  return parsed.success ? parsed.data : sendError(context, 'bad-request', problemsOf(parsed.error))
}

const NOT_JSON = Symbol('not JSON')
