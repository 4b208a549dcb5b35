import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { smallPdf } from '../../../testing/small-pdf.ts'
import { normalizeUrl } from '../url/normalize-url.ts'
import { readDocument } from './read-document.ts'

const OPTIONS = { agent: 'orbweaver', normalize: normalizeUrl, pdf: { clock: new FakeClock() } }
const URL = 'http://a.test/doc'

it('reads a PDF, whatever the server calls it', async () => {
  const bytes = smallPdf({ title: 'T', pages: ['words of the document'], link: 'http://b.test/x' })
  const headers = [
    ['content-type', 'text/html'],
    ['x-robots-tag', 'nofollow'],
  ] as const
  expect(await readDocument({ url: URL, headers, bytes }, OPTIONS)).toMatchObject({
    status: 'parsed',
    type: 'application/pdf',
    declaredType: 'text/html',
    title: 'T',
    text: 'words of the document',
    links: [{ url: 'http://b.test/x', anchor: '', rel: [], kind: 'pdf' }],
    followable: false,
    signatures: { simHash: expect.any(String) },
  })
})

it('skips a PDF when the library is missing and fails when the file is broken', async () => {
  const input = { url: URL, headers: [], bytes: Buffer.from('%PDF-1.4 nonsense') }
  expect(await readDocument(input, OPTIONS)).toMatchObject({ status: 'failed', reason: 'broken' })
  const pdf = { ...OPTIONS.pdf, loadLibrary: () => Promise.reject(new Error('not installed')) }
  expect(await readDocument(input, { ...OPTIONS, pdf })).toMatchObject({
    status: 'skipped',
    reason: 'library-missing',
    detail: expect.stringContaining('npm install unpdf'),
  })
})

it('reads everything else as readPage does', async () => {
  const input = { url: URL, headers: [], bytes: Buffer.from('<p>hello') }
  expect(await readDocument(input, OPTIONS)).toMatchObject({ status: 'parsed', kind: 'html', text: 'hello' })
})
