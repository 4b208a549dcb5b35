import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ReceivedBody } from './received-body.ts'

it('is all that was added, whatever was announced, in memory of that size', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 })
  fc.assert(
    fc.property(fc.option(fc.nat(2_000)), pieces, (announced, parts) => {
      const body = new ReceivedBody()
      if (announced !== null) body.expect(announced)
      for (const part of parts) {
        const lent = Uint8Array.from(part)
        body.add(lent)
        lent.fill(0)
      }
      const whole = Buffer.concat(parts)
      expect(body.length).toBe(whole.length)
      const taken = body.take()
      expect(Buffer.from(taken).equals(whole)).toBe(true)
      expect(taken.buffer.byteLength).toBe(whole.length)
    }),
  )
})

it('takes little memory for a length that is only announced', () => {
  const body = new ReceivedBody()
  const before = process.memoryUsage().arrayBuffers
  body.expect(2 ** 40)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024)
  expect(body.length).toBe(0)
})
