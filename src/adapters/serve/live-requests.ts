import { z } from 'zod'
import type { LiveAction } from '../../domain/live/live-report.ts'
import type { LoginRequest } from './responses.ts'

const url = z
  .string()
  .min(1)
  .max(8_000)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')

const DAY_MS = 86_400_000

/** The body of `POST /api/live/actions`. */
export const liveActionSchema: z.ZodType<LiveAction> = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('pause') }),
  z.strictObject({ action: z.literal('resume') }),
  z.strictObject({ action: z.literal('stop') }),
  z.strictObject({
    action: z.literal('set-delay'),
    host: z
      .string()
      .min(1)
      .max(300)
      .regex(/^[^\s\p{Cc}]+$/u, 'must be a host name'),
    delayMs: z.number().min(0).max(DAY_MS).nullable(),
  }),
  z.strictObject({ action: z.literal('retry-failed'), url: url.exactOptional() }),
])

/** The body of `POST /api/login`. */
export const loginSchema: z.ZodType<LoginRequest> = z.strictObject({ token: z.string().max(1_000) })
