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
    links: [{ url: 'http://b.test/x', anchor: '', rel: [], kind: 'document' }],
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

it('uses readers of the user, by type or by the end of the path', async () => {
  const readers = {
    'application/x-foo': ({ bytes, type }: { bytes: Uint8Array; type: string }) => ({
      text: `${type}: ${Buffer.from(bytes).toString()}`,
      title: 'Foo',
      language: 'de-AT',
      links: [{ href: 'next.foo', anchor: 'next' }],
      metadata: { colour: 'red' },
    }),
    '.foo': () => Promise.resolve({ text: 'by name' }),
  }
  const options = { ...OPTIONS, readers }
  const bytes = Buffer.from('some bytes')
  const headers = [['content-type', 'application/x-foo']] as const
  expect(await readDocument({ url: 'http://a.test/b/c', headers, bytes }, options)).toMatchObject({
    status: 'parsed',
    title: 'Foo',
    text: 'application/x-foo: some bytes',
    language: 'de',
    links: [{ url: 'http://a.test/b/next.foo', anchor: 'next' }],
    metadata: { colour: 'red' },
  })
  const byName = await readDocument({ url: 'http://a.test/b.c/d.FOO?x', headers: [], bytes }, options)
  expect(byName.text).toBe('by name')
  const page = await readDocument(
    { url: 'http://a.test/x.foo', headers: [], bytes: Buffer.from('<p>page') },
    options,
  )
  expect(page).toMatchObject({ kind: 'html', text: 'page' })
})

it('limits what a reader of the user returns, and reports what it throws', async () => {
  const input = { url: 'http://a.test/x.foo', headers: [], bytes: Buffer.from('x') }
  const read = (reader: () => unknown) =>
    readDocument(input, {
      ...OPTIONS,
      scan: { maxTextChars: 3, maxLinks: 1 },
      readers: { '.foo': reader as never },
    })
  const links = [{ href: '/1' }, { href: '/2' }]
  expect(await read(() => ({ text: 'abcdef', links }))).toMatchObject({
    text: 'abc',
    truncated: true,
    links: [{ url: 'http://a.test/1' }],
    rejectedLinks: { 'over-limit': 1 },
  })
  const failing = () => {
    throw new Error('no header')
  }
  expect(await read(failing)).toMatchObject({
    status: 'failed',
    reason: 'reader-failed',
    detail: 'no header',
  })
  expect(await read(() => undefined)).toMatchObject({ status: 'failed', reason: 'reader-failed' })
  expect(await read(() => ({ title: 'no text' }))).toMatchObject({ status: 'failed' })
})

it('says that a larger body may help when the body was truncated', async () => {
  const bytes = Buffer.from('PK\x03\x04\0\0', 'latin1')
  const headers = [['content-type', 'application/epub+zip']] as const
  const { detail } = await readDocument({ url: URL, headers, bytes, truncated: true }, OPTIONS)
  expect(detail).toContain('http.maxBodyBytes')
})
