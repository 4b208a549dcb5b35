import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { smallPdf } from '../../../testing/small-pdf.ts'
import { isSmallPage } from './small-page.ts'

const pageOf = (bytes: Uint8Array, type = 'text/html') => ({
  url: 'http://a.test/',
  headers: [['content-type', type]] as const,
  ...{ bytes, truncated: false, score: 1, metadata: {} },
})

it('accepts pages of up to 128 kB', () => {
  const html = (size: number) => Buffer.from('<title>t</title>'.padEnd(size))
  expect(isSmallPage(pageOf(html(10)))).toBe(true)
  expect(isSmallPage(pageOf(html(128 * 1024)))).toBe(true)
  expect(isSmallPage(pageOf(html(128 * 1024 + 1)))).toBe(false)
})

it('rejects PDFs and compressed files, whatever the server says that they are', () => {
  expect(isSmallPage(pageOf(smallPdf({ pages: ['hello'] })))).toBe(false)
  expect(isSmallPage(pageOf(gzipSync('<urlset></urlset>'), 'application/xml'))).toBe(false)
})
