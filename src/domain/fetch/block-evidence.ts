import type { FetchOutcome } from './fetch-outcome.ts'
import { type HeaderList, header } from './headers.ts'

/** Why a response counts as a block of this client, and not as a page. */
export interface BlockEvidence {
  /** `forbidden`: 403. `rate-limit`: 429. `captcha`: a page that wants proof of a human visitor, with any status. */
  readonly kind: 'forbidden' | 'rate-limit' | 'captcha'
  /** What was found, for people: `status 403`, `header cf-mitigated`, `title "Just a moment..."`. */
  readonly evidence: string
}

/** The parts of a response that show a block. */
export interface BlockSource {
  readonly status: number
  readonly headers: HeaderList
  /** The decoded body, or its beginning. Empty: it was not read. */
  readonly bytes: Uint8Array
}

/** Challenge pages are small, and their marks are at the beginning. */
const MAX_BYTES = 64 * 1024
/** A CAPTCHA on a larger page of status 200 belongs to a form of the page. */
const MAX_CHALLENGE_BYTES = 16 * 1024

/** Marks of challenge pages alone; no other page has them. */
const CHALLENGES: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ['Cloudflare challenge', /\/cdn-cgi\/challenge-platform\/[^"']*\/orchestrate\/|id="cf-challenge-running"/],
  ['DataDome challenge', /geo\.captcha-delivery\.com\/(?:captcha|interstitial)/],
  ['PerimeterX challenge', /id="px-captcha"/],
  ['AWS WAF challenge', /AwsWafIntegration\.|awswaf\.com\/[^"']*\/challenge\.js/],
  ['Imperva challenge', /_Incapsula_Resource\?[^"']*SWJIYLWA|Incapsula incident ID/],
]

/** CAPTCHA widgets; many contact forms have one, too. */
const WIDGET =
  /class="[^"]*\b(?:g-recaptcha|h-captcha|cf-turnstile)\b|google\.com\/recaptcha\/|js\.hcaptcha\.com\/|challenges\.cloudflare\.com\/turnstile\//i

const TITLES =
  /^(?:just a moment|attention required|access (?:denied|to this page has been denied)|are you (?:a )?(?:human|robot)|please verify you are (?:a )?human|verify(?:ing)? (?:that )?you are (?:a )?human|security check|human verification|robot check|captcha|unusual traffic|pardon our interruption|blocked)\b/i

/**
 * Whether a response blocks this client; `undefined`: it does not. A page with a CAPTCHA in one of its forms is not a block: a widget counts only
 * on an error page, or on a small page whose title demands proof as well.
 */
export function blockEvidence({ status, headers, bytes }: BlockSource): BlockEvidence | undefined {
  if (header(headers, 'cf-mitigated') === 'challenge')
    return { kind: 'captcha', evidence: 'header cf-mitigated: challenge' }
  if (header(headers, 'x-amzn-waf-action') === 'captcha')
    return { kind: 'captcha', evidence: 'header x-amzn-waf-action: captcha' }
  const challenge = bytes.length === 0 ? undefined : challengeIn(status, bytes)
  if (challenge !== undefined) return { kind: 'captcha', evidence: challenge }
  if (status === 429) return { kind: 'rate-limit', evidence: 'status 429' }
  return status === 403 ? { kind: 'forbidden', evidence: 'status 403' } : undefined
}

/** The evidence in an outcome; `undefined` also if there was no response. */
export function blockOfOutcome(outcome: FetchOutcome): BlockEvidence | undefined {
  if (!('response' in outcome)) return undefined
  const { status, headers } = outcome.response
  const bytes = 'body' in outcome && outcome.body !== undefined ? outcome.body.bytes : NO_BYTES
  return blockEvidence({ status, headers, bytes })
}

const NO_BYTES = new Uint8Array()

function challengeIn(status: number, bytes: Uint8Array): string | undefined {
  const isError = status === 403 || status === 429 || status === 503
  // Larger pages of a success are content: they are not decoded here.
  if (!isError && bytes.length > MAX_CHALLENGE_BYTES) return undefined
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_BYTES)).toString(
    'latin1',
  )
  for (const [name, pattern] of CHALLENGES) if (pattern.test(text)) return name
  const title = /<title[^>]*>\s*([^<]{0,200}?)\s*<\/title>/i.exec(text)?.[1] ?? ''
  const hasTitle = TITLES.test(title)
  if (!WIDGET.test(text) || !(isError || hasTitle)) return undefined
  return hasTitle ? `CAPTCHA, title "${title}"` : 'CAPTCHA on an error page'
}
