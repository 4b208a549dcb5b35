import { expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { missingContactWarning, userAgent } from './user-agent.ts'

it.each([
  [{ name: 'Weaver' }, 'Weaver'],
  [{ name: 'Weaver', version: '1.2' }, 'Weaver/1.2'],
  [{ name: 'Weaver', contactUrl: 'https://weaver.example/bot' }, 'Weaver (+https://weaver.example/bot)'],
  [
    { name: 'Weaver', version: '1.2', contactUrl: 'https://weaver.example/bot', email: 'bot@weaver.example' },
    'Weaver/1.2 (+https://weaver.example/bot; bot@weaver.example)',
  ],
])('builds the header from %j', (identity, header) => {
  expect(userAgent(identity)).toBe(header)
})

it.each([
  { name: '' },
  { name: 'My Crawler' },
  { name: 'a/b' },
  { name: 'x\r\nHost: evil' },
  { name: '9lives' },
  { name: 'W', version: '1 2' },
  { name: 'W', contactUrl: 'weaver.example' },
  { name: 'W', contactUrl: 'https://weaver.example/ (x' },
  { name: 'W', contactUrl: 'https://weaver.example/\r\nX: y' },
  { name: 'W', email: 'no-at-sign' },
])('refuses %j', (identity) => {
  expect(() => userAgent(identity)).toThrow(ConfigurationError)
})

it('warns only when there is neither URL nor mail', () => {
  expect(missingContactWarning({ name: 'W' })).toContain('contact')
  expect(missingContactWarning({ name: 'W', email: 'a@b.example' })).toBeUndefined()
  expect(missingContactWarning({ name: 'W', contactUrl: 'https://b.example' })).toBeUndefined()
})
