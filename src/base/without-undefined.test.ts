import { expect, it } from 'vitest'
import { withoutUndefined } from './without-undefined.ts'

it('leaves out what is undefined, and nothing else', () => {
  const result = withoutUndefined({ a: undefined, b: null, c: 0, d: '', e: false, f: 1 })
  expect(Object.keys(result)).toEqual(['b', 'c', 'd', 'e', 'f'])
})
