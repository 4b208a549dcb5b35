import fc from 'fast-check'
import { expect, it } from 'vitest'
import { blockEvidence, blockOfOutcome } from './block-evidence.ts'

const seen = (status: number, html = '', headers: Record<string, string> = {}) =>
  blockEvidence({ status, headers: Object.entries(headers), bytes: Buffer.from(html) })

const WIDGET = '<div class="g-recaptcha" data-sitekey="x"></div>'

it.each([
  ['403', seen(403), 'forbidden', 'status 403'],
  ['429', seen(429), 'rate-limit', 'status 429'],
  [
    'a header of Cloudflare',
    seen(403, '', { 'cf-mitigated': 'challenge' }),
    'captcha',
    'header cf-mitigated',
  ],
  ['a header of AWS', seen(405, '', { 'x-amzn-waf-action': 'captcha' }), 'captcha', 'x-amzn-waf-action'],
  [
    'a challenge script with status 200',
    seen(200, '<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script>'),
    'captcha',
    'Cloudflare',
  ],
  ['a CAPTCHA on an error page', seen(503, WIDGET), 'captcha', 'error page'],
  [
    'a CAPTCHA under such a title',
    seen(200, `<title> Are you a robot? </title>${WIDGET}`),
    'captcha',
    'title "Are you a robot?"',
  ],
])('finds a block by %s', (_, found, kind, evidence) => {
  expect(found).toEqual({ kind, evidence: expect.stringContaining(evidence) })
})

it.each([
  ['a contact form with a CAPTCHA', 200, `<title>Contact us</title><form>${WIDGET}</form>`],
  [
    'an article about CAPTCHAs',
    200,
    `<title>Captcha</title><p>${'A long text. '.repeat(2_000)}</p>${WIDGET}`,
  ],
  ['a title without a widget', 200, '<title>Access denied: a novel</title>'],
  ['a missing page', 404, WIDGET],
  ['a page that needs a login', 401, '<title>Log in</title>'],
  ['a server error', 503, '<title>Maintenance</title>'],
  ['no body', 200, ''],
])('does not take %s for a block', (_, status, html) => {
  expect(seen(status, html)).toBeUndefined()
})

it('reads an outcome', () => {
  const base = { url: 'http://a.test/', timings: { startedAt: 0, totalMs: 1 } }
  const response = { status: 403, headers: [], requestHeaders: [], address: '', protocol: 'http/1.1' }
  expect(blockOfOutcome({ ...base, kind: 'access-denied', response })).toMatchObject({ kind: 'forbidden' })
  expect(blockOfOutcome({ ...base, kind: 'network-failure', cause: 'reset', detail: '' })).toBeUndefined()
})

it('takes any bytes, and only 403, 429 and marks for a block', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), fc.uint8Array({ maxLength: 2_000 }), (status, bytes) => {
      const found = blockEvidence({ status, headers: [], bytes })
      if (found !== undefined && found.kind !== 'captcha') expect([403, 429]).toContain(status)
    }),
  )
})
