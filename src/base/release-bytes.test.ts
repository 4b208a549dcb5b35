import { expect, it } from 'vitest'
import { releaseBytes } from './release-bytes.ts'

it('leaves nothing of bytes that have their memory for themselves', () => {
  const bytes = new Uint8Array(100)
  releaseBytes(bytes)
  expect(bytes.length).toBe(0)
  // A second call has no effect.
  releaseBytes(bytes)
})

it('leaves memory alone that others may look at', () => {
  const whole = Uint8Array.from({ length: 100 }, (_, i) => i)
  releaseBytes(whole.subarray(1))
  expect(whole[99]).toBe(99)
  const small = Buffer.from('from the pool that small Buffers share')
  releaseBytes(small)
  expect(small.toString()).toBe('from the pool that small Buffers share')
  const shared = new Uint8Array(new SharedArrayBuffer(4))
  releaseBytes(shared)
  expect(shared.length).toBe(4)
  const nothing = new Uint8Array(0)
  releaseBytes(nothing)
  expect(nothing.subarray(0)).toHaveLength(0)
})

it('does not free the pool that small Buffers share', () => {
  const small = Buffer.from('small')
  releaseBytes(new Uint8Array(small.buffer))
  expect(small.toString()).toBe('small')
})
