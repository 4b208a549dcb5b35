import { expect, it } from 'vitest'
import { md5Signature } from './md5-signature.ts'

it('is the MD5 of the content', () => {
  expect(md5Signature(Buffer.from('abc'), 'http://a.test/')).toBe('900150983cd24fb0d6963f7d28e17f72')
})

it('is the MD5 of the URL for empty content', () => {
  expect(md5Signature(new Uint8Array(), 'abc')).toBe('900150983cd24fb0d6963f7d28e17f72')
})
