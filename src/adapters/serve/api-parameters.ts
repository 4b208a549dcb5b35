import { z } from 'zod'

/** The query parameters of each route. Unknown names are rejected, so that a misspelled filter is not ignored. */

const whole = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().max(most))

const query = z.string().max(1_000).default('')
const url = z
  .string()
  .min(1)
  .max(8_000)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
const filterValue = z.string().min(1).max(300)

export const searchParameters = z.strictObject({
  q: query,
  offset: whole(1_000_000).default(0),
  limit: whole(100).pipe(z.int().min(1)).default(10),
  site: filterValue.exactOptional(),
  type: filterValue.exactOptional(),
  lang: filterValue.exactOptional(),
})

export const historyParameters = z.strictObject({ range: z.enum(['latest', 'all']).default('latest') })

export const hostParameters = z.strictObject({
  host: z
    .string()
    .max(300)
    .regex(/^[^\s/?#@\\'"`;<>\p{Cc}]+$/u, 'must be a host name')
    .toLowerCase(),
})

export const urlParameters = z.strictObject({ url })

export const previewParameters = z.strictObject({ url, q: query })

export const noParameters = z.strictObject({})
