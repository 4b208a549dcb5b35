import { expect, it } from 'vitest'
import { RunEnd } from './run-end.ts'

it('goes by the first reason, and tells of each', () => {
  let told = 0
  const end = new RunEnd(() => told++)
  expect(end.reason).toBeUndefined()
  end.because('pages')
  end.because('interrupted')
  expect([end.reason, end.result(), told]).toEqual(['pages', 'pages', 2])
})

it('is the end of all there was to do when nobody had a reason', () => {
  expect(new RunEnd(() => {}).result()).toBe('finished')
})

it('throws what went wrong first, also when there was another reason before', () => {
  const end = new RunEnd(() => {})
  end.because('drained')
  end.fail(new RangeError('first'))
  end.fail(new TypeError('second'))
  expect(end.reason).toBe('drained')
  expect(() => end.result()).toThrow(RangeError)
})
