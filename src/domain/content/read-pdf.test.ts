import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { smallPdf } from '../../../testing/small-pdf.ts'
import { readPdf } from './read-pdf.ts'

const clock = new FakeClock()

it('reads title, text and links', async () => {
  const bytes = smallPdf({
    title: 'A  title',
    pages: ['Hello there', 'Page two'],
    link: 'http://a.test/linked',
  })
  const before = bytes.slice()
  expect(await readPdf(bytes, { clock })).toEqual({
    kind: 'read',
    title: 'A title',
    properties: {},
    text: 'Hello there\n\nPage two',
    hrefs: ['http://a.test/linked'],
    hrefsDropped: 0,
    pageCount: 2,
    truncated: false,
  })
  expect(bytes).toEqual(before)
})

it('stops at its limits and says so', async () => {
  const bytes = smallPdf({ pages: ['one', 'two', 'three'] })
  expect(await readPdf(bytes, { clock, maxPages: 2 })).toMatchObject({
    text: 'one\n\ntwo',
    pageCount: 3,
    truncated: true,
  })
  expect(await readPdf(bytes, { clock, maxTextChars: 5 })).toMatchObject({
    text: 'one\n\ntw',
    truncated: true,
  })
  expect(await readPdf(bytes, { clock, maxBytes: 10 })).toMatchObject({ kind: 'failed', reason: 'too-large' })
})

it('says what to install when the library is missing', async () => {
  const loadLibrary = () => Promise.reject(new Error('Cannot find package'))
  expect(await readPdf(smallPdf({ pages: ['x'] }), { clock, loadLibrary })).toEqual({
    kind: 'failed',
    reason: 'library-missing',
    detail: 'reading PDF needs the package unpdf: npm install unpdf',
  })
})

it('knows an encrypted file', async () => {
  expect(await readPdf(smallPdf({ pages: ['secret'], encrypted: true }), { clock })).toMatchObject({
    kind: 'failed',
    reason: 'encrypted',
  })
})

it('gives up when the time is over', async () => {
  const slow = new FakeClock()
  const loadLibrary = async () => ({ getDocumentProxy: () => new Promise(() => slow.advance(50)) })
  expect(await readPdf(smallPdf({ pages: ['x'] }), { clock: slow, maxMs: 50, loadLibrary })).toMatchObject({
    reason: 'too-slow',
  })
})

it('takes anything for a broken file rather than throw', async () => {
  expect(await readPdf(Buffer.from('%PDF-1.7\ngarbage'), { clock })).toMatchObject({
    kind: 'failed',
    reason: 'broken',
  })
  const whole = smallPdf({ pages: ['hello'] })
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }), async (at, byte) => {
      const damaged = whole.slice()
      damaged[at] = byte
      expect((await readPdf(damaged, { clock })).kind).toMatch(/^(read|failed)$/)
      expect((await readPdf(whole.slice(0, at), { clock })).kind).toMatch(/^(read|failed)$/)
    }),
    { numRuns: 20 },
  )
})
