import { hash } from 'node:crypto'
import { z } from 'zod'
import type { FetchedBody, FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'

/** What is worth keeping to work on a spider without asking again. */
export type KeptOutcome = Extract<
  FetchOutcome,
  { readonly kind: 'success' | 'moved' | 'not-found' | 'gone' | 'access-denied' }
>

/** Whether the server has said all it has to say. A busy or broken one, or a broken line, may do better next time. */
export function isWorthKeeping(outcome: FetchOutcome): outcome is KeptOutcome {
  switch (outcome.kind) {
    case 'moved':
      return true
    case 'success':
    case 'not-found':
    case 'gone':
    case 'access-denied':
      return outcome.body?.truncated !== 'disconnect' && outcome.body?.truncated !== 'time'
    default:
      return false
  }
}

/** An outcome as JSON can hold it: the bytes of the body are elsewhere, and a digest stands for them. */
export type OutcomeDescription = z.infer<typeof OUTCOME_DESCRIPTION>

export const OUTCOME_DESCRIPTION = z.object({
  outcome: z.looseObject({}),
  body: z.looseObject({ sha256: z.string() }).exactOptional(),
})

export function describeOutcome(outcome: KeptOutcome): OutcomeDescription {
  const body = bodyOf(outcome)
  if (body === undefined) return { outcome: { ...outcome } }
  const { bytes, ...rest } = body
  return { outcome: { ...outcome, body: undefined }, body: { ...rest, sha256: hash('sha256', bytes) } }
}

/** The outcome that was described, or `undefined` when this is not the description of one, or not with these bytes. */
export function rebuildOutcome(
  { outcome, body }: OutcomeDescription,
  bytes: Uint8Array | undefined,
): KeptOutcome | undefined {
  if (body === undefined) return OUTCOME.safeParse(outcome).data
  if (bytes === undefined || hash('sha256', bytes) !== body.sha256) return undefined
  return OUTCOME.safeParse({ ...outcome, body: { ...body, bytes } }).data
}

export function bodyOf(outcome: KeptOutcome): FetchedBody | undefined {
  return outcome.kind === 'moved' ? undefined : outcome.body
}

const HEADERS = z.array(z.tuple([z.string(), z.string()]))

const BASE = {
  url: z.string(),
  timings: z.object({
    startedAt: z.number(),
    dnsMs: z.number().exactOptional(),
    connectMs: z.number().exactOptional(),
    headersMs: z.number().exactOptional(),
    totalMs: z.number(),
  }),
  response: z.object({
    status: z.number(),
    headers: HEADERS,
    requestHeaders: HEADERS,
    address: z.string(),
    protocol: z.string(),
  }),
}

const BODY = z.object({
  bytes: z.instanceof(Uint8Array),
  wireBytes: z.number(),
  decoded: z.array(z.string()),
  truncated: z.enum(['size', 'disconnect', 'time', 'encoding', 'partial']).exactOptional(),
})

const OUTCOME: z.ZodType<KeptOutcome> = z.discriminatedUnion('kind', [
  z.object({ ...BASE, kind: z.literal('success'), body: BODY }),
  z.object({ ...BASE, kind: z.literal('moved'), to: z.string(), permanent: z.boolean() }),
  z.object({ ...BASE, kind: z.literal('not-found'), body: BODY.exactOptional() }),
  z.object({ ...BASE, kind: z.literal('gone'), body: BODY.exactOptional() }),
  z.object({ ...BASE, kind: z.literal('access-denied'), body: BODY.exactOptional() }),
])
