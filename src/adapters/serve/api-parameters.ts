import type { Context } from 'hono'
import { z } from 'zod'
import { sendError } from './send-error.ts'
import type { ServedEntry } from './serve-ports.ts'

/** Parses the query parameters of a request. Rejects invalid, unknown and repeated ones, so that a misspelled filter is not ignored. */
export async function withParameters<T>(
  context: Context,
  schema: z.ZodType<T>,
  respond: (parameters: T) => Promise<Response>,
): Promise<Response> {
  const query = context.req.queries()
  const repeated = Object.keys(query).find((name) => (query[name]?.length ?? 0) > 1)
  if (repeated !== undefined) return sendError(context, 'bad-request', `${repeated} is given more than once.`)
  const parsed = schema.safeParse(context.req.query())
  if (!parsed.success) return sendError(context, 'bad-request', problemsOf(parsed.error))
  return respond(parsed.data)
}

/** `limit: must be a whole number` */
export function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ')
}

/** The crawl of a request; by default the first. A `Response`: there is none of that name. */
export function crawlNamed<Entry extends Pick<ServedEntry, 'id'>>(
  context: Context,
  entries: readonly Entry[],
  id: string | undefined,
): Entry | Response {
  const entry = id === undefined ? entries[0] : entries.find((other) => other.id === id)
  return (
    entry ??
    sendError(
      context,
      'not-found',
      `There is no crawl ${JSON.stringify(id ?? '')}; /api/crawls lists the crawls of this server.`,
    )
  )
}

/** A whole number in a query parameter. */
export const whole = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().max(most))

export const crawlId = z.string().min(1).max(300).exactOptional()
