import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AI_USES, type AiUseStatement, combineAiUse, refusalOf, statementOrigin } from './ai-use.ts'
import { parseRobots } from './parse-robots.ts'

const statement = fc.record<AiUseStatement>({
  use: fc.constantFrom(...AI_USES),
  preference: fc.constantFrom('allow', 'disallow'),
  source: fc.constantFrom('robots.txt', 'header', 'meta'),
  text: fc.string({ maxLength: 400 }),
})

it('refuses a use if one statement does, in any order, however many there are', () => {
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 120 }), (statements) => {
      const combined = combineAiUse(statements)
      for (const use of AI_USES) {
        const about = statements.filter((one) => one.use === use)
        const refused = about.some(({ preference }) => preference === 'disallow')
        expect(combined?.[use]).toBe(about.length === 0 ? undefined : refused ? 'disallow' : 'allow')
        expect(refusalOf(combined, [use]) !== undefined).toBe(refused)
      }
      expect(combined?.statements.length ?? 0).toBeLessThanOrEqual(50 + 2 * AI_USES.length)
      expect(combined?.statements.every(({ text }) => text.length <= 301) ?? true).toBe(true)
    }),
    { numRuns: 200 },
  )
})

it('says nothing without a statement', () => {
  expect(combineAiUse([])).toBeUndefined()
  expect(refusalOf(undefined, AI_USES)).toBeUndefined()
})

it('names the field of a statement', () => {
  const made = { use: 'train', preference: 'disallow', source: 'robots.txt' } as const
  expect(statementOrigin({ ...made, text: 'Content-Signal: ai-train=no' })).toBe(
    'Content-Signal in robots.txt',
  )
  expect(statementOrigin({ ...made, source: 'meta', text: 'noai' })).toBe('noai in meta')
})

const ROBOTS = `User-agent: *
Content-Signal: search=yes, ai-train=no
Content-Usage: train-ai=n
Content-Usage: /open/ train-ai=y, ai-use=n
Content-Usage: /bots/ bots=n, search=y
User-agent: other
Content-Signal: ai-input=no
`

it.each([
  ['/', { train: 'disallow', search: 'allow' }],
  ['/open/a', { train: 'disallow', search: 'allow', input: 'disallow' }],
  ['/bots/a', { train: 'disallow', search: 'allow', input: 'disallow' }],
])('reads the preferences of robots.txt for %s', (path, expected) => {
  const rules = parseRobots(ROBOTS).rulesFor('orbweaver')
  const { statements, ...uses } = combineAiUse(rules.aiUse(`http://a.test${path}`)) ?? { statements: [] }
  expect(uses).toEqual(expected)
  expect(statements).toContainEqual({
    ...{ use: 'train', preference: 'disallow', source: 'robots.txt' },
    text: 'Content-Signal: search=yes, ai-train=no',
  })
})

it('takes any robots.txt, and only statements of known uses from it', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom('User-agent: *', 'Content-Signal: x=y', 'Content-Usage: /a'),
  )
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      for (const { use } of parseRobots(lines.join('\n')).rulesFor('orbweaver').aiUse('http://a.test/a'))
        expect(AI_USES).toContain(use)
    }),
    { numRuns: 100 },
  )
})
