import { expect, it } from 'vitest'
import { operatorDelayProblem } from './operator-delay.ts'

it.each(['www.example.org', 'localhost', '127.0.0.1', '[::1]', '2001:db8::1', 'a_b.xn--mnchen-3ya.de'])(
  'accepts the host %s',
  (host) => {
    expect(operatorDelayProblem(host, 0)).toBeUndefined()
    expect(operatorDelayProblem(host, 86_400_000)).toBeUndefined()
    expect(operatorDelayProblem(host, null)).toBeUndefined()
  },
)

it.each(['', 'http://a.test/', 'a.test:8080', 'a.test/x', 'a test', 'a\n.test', 'u@a.test', 'a'.repeat(254)])(
  'rejects %j, which is not a host',
  (host) => {
    expect(operatorDelayProblem(host, 1_000)).toMatch(/^".*" is not a host; give a name/)
  },
)

it.each([-1, 86_400_001, Number.NaN, Number.POSITIVE_INFINITY])('rejects a delay of %d ms', (delayMs) => {
  expect(operatorDelayProblem('a.test', delayMs)).toBe(
    'the delay of a.test must be between 0 and 86400 seconds',
  )
})
