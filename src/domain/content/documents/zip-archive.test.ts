import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readTestDocument } from '../../../../testing/read-test-document.ts'
import { smallZip } from '../../../../testing/small-zip.ts'
import { ZipArchive } from './zip-archive.ts'

const MEGABYTE = 1024 * 1024

it('reads entries, compressed or not', () => {
  for (const method of [0, 8]) {
    const archive = new ZipArchive(smallZip({ 'a.xml': 'first', 'b/c.xml': 'second' }, { method }), MEGABYTE)
    expect([...archive.names]).toEqual(['a.xml', 'b/c.xml'])
    expect(archive.read('b/c.xml')?.toString()).toBe('second')
    expect(archive.read('other')).toBeUndefined()
  }
})

it('reads any entries', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.uint8Array()), (entries) => {
      const clean = Object.fromEntries(
        Object.entries(entries).filter(([name]) => /^[^\\/\ud800-\udfff]+$/.test(name)),
      )
      const archive = new ZipArchive(smallZip(clean), MEGABYTE)
      for (const [name, content] of Object.entries(clean))
        expect(archive.read(name)).toEqual(Buffer.from(content))
    }),
  )
})

it('does not expand a bomb', () => {
  const bomb = smallZip({ bomb: Buffer.alloc(20 * MEGABYTE) })
  expect(() => new ZipArchive(bomb, 10 * MEGABYTE).read('bomb')).toThrow('bomb expands to more than')
  // Within the budget, but not with this ratio.
  expect(() => new ZipArchive(bomb, 100 * MEGABYTE).read('bomb')).toThrow('bomb expands to more than')
})

it('has one budget for all entries', () => {
  const archive = new ZipArchive(
    smallZip({ a: Buffer.alloc(MEGABYTE), b: Buffer.alloc(MEGABYTE) }),
    1.5 * MEGABYTE,
  )
  expect(archive.read('a')).toHaveLength(MEGABYTE)
  expect(() => archive.read('b')).toThrow('b expands to more than')
})

it('does not list endless entries', () => {
  const names = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`n${i}`, '']))
  expect(() => new ZipArchive(smallZip(names, { method: 0 }), MEGABYTE)).toThrow('more than 20000 entries')
})

it.each([
  ['encrypted', smallZip({ a: 'x' }, { flags: 1 }), 'a is encrypted'],
  ['of an unknown method', smallZip({ a: 'x' }, { method: 99 }), 'compression method 99'],
])('says when an entry is %s', (_, bytes, message) => {
  expect(() => new ZipArchive(bytes, MEGABYTE).read('a')).toThrow(message)
})

it('says when there is no directory', () => {
  expect(() => new ZipArchive(smallZip({ a: 'x' }).subarray(0, -30), MEGABYTE)).toThrow('is missing')
})

it('does not expand entities of XML in a document', async () => {
  const lol = Array.from({ length: 20 }, (_, i) => `<!ENTITY l${i + 1} "&l${i};&l${i};">`).join('')
  const content = `<!DOCTYPE a [<!ENTITY l0 "ha">${lol}]><office:text><text:p>&l20;</text:p></office:text>`
  const bytes = smallZip(
    { mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': content },
    { method: 0 },
  )
  expect(await readTestDocument(bytes)).toMatchObject({ status: 'parsed', text: '&l20;' })
})

it('reads elements of any depth', async () => {
  const deep = '<text:span>'.repeat(200_000)
  const content = `<office:text><text:p>${deep}deep</text:p></office:text>`
  const bytes = smallZip(
    { mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': content },
    { method: 0 },
  )
  expect(await readTestDocument(bytes)).toMatchObject({ status: 'parsed', text: 'deep' })
})
