import { type FetchOutcome, isAborted } from '../fetch/fetch-outcome.ts'
import { header } from '../fetch/headers.ts'
import type { SendRequest } from './fetch-robots.ts'
import type { AiUseFilesRecord } from './robots-record.ts'

/** The files of an origin. A file that is missing, or could not be fetched, is absent. */
export interface FetchedAiUseFiles extends Omit<AiUseFilesRecord, 'freshUntil'> {
  /** How long the result is valid: shorter after a failure that may be transient. */
  readonly lifetimeMs: number
}

const HOUR_MS = 3_600_000
const MAX_BYTES = 128 * 1024
const MAX_REDIRECTS = 5

/**
 * Fetches `/ai.txt` and `/.well-known/tdmrep.json` of an origin, as far as robots.txt allows. Redirects to other origins are not followed, because
 * their robots.txt is not known. `undefined`: a request was aborted or not sent.
 */
export async function fetchAiUseFiles(
  origin: string,
  isAllowed: (url: string) => boolean,
  send: SendRequest,
): Promise<FetchedAiUseFiles | undefined> {
  const aiTxt = await fetchFile(`${origin}/ai.txt`, isAllowed, send)
  if (aiTxt.kind === 'aborted') return undefined
  const tdmRep = await fetchFile(`${origin}/.well-known/tdmrep.json`, isAllowed, send)
  if (tdmRep.kind === 'aborted') return undefined
  const isFailed = aiTxt.kind === 'failed' || tdmRep.kind === 'failed'
  return {
    ...(aiTxt.kind === 'file' && { aiTxt: aiTxt.octets }),
    ...(tdmRep.kind === 'file' && { tdmRep: tdmRep.octets }),
    lifetimeMs: isFailed ? HOUR_MS : 24 * HOUR_MS,
  }
}

type FileResult =
  | { readonly kind: 'file'; readonly octets: string }
  | { readonly kind: 'missing' | 'failed' | 'aborted' }

async function fetchFile(
  first: string,
  isAllowed: (url: string) => boolean,
  send: SendRequest,
): Promise<FileResult> {
  const { origin } = new URL(first)
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!isAllowed(url)) return { kind: 'missing' }
    const outcome = await send({ url, maxBodyBytes: MAX_BYTES })
    if (outcome.kind !== 'moved') return resultOf(outcome)
    url = outcome.to
    if (!URL.canParse(url) || new URL(url).origin !== origin) return { kind: 'missing' }
  }
  return { kind: 'missing' }
}

function resultOf(outcome: Exclude<FetchOutcome, { kind: 'moved' }>): FileResult {
  if (outcome.kind === 'blocked' || isAborted(outcome)) return { kind: 'aborted' }
  if (outcome.kind === 'success') return fileOf(outcome)
  const isMissing = 'response' in outcome && outcome.response.status < 500 && outcome.response.status !== 429
  return { kind: isMissing ? 'missing' : 'failed' }
}

/** Many sites send their home page, or an error page, instead of a 404. */
function fileOf({ response, body }: Extract<FetchOutcome, { kind: 'success' }>): FileResult {
  if (body.truncated !== undefined && body.truncated !== 'size') return { kind: 'failed' }
  const octets = Buffer.from(body.bytes).toString('latin1')
  const isHtml = /html/i.test(header(response.headers, 'content-type') ?? '') || /^\s*</.test(octets)
  return isHtml ? { kind: 'missing' } : { kind: 'file', octets }
}
