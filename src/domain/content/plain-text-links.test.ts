import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plainTextLinks } from './plain-text-links.ts'

it.each([
  ['see http://a.test/b.', ['http://a.test/b']],
  ['http://a.test', ['http://a.test']],
  ['HTTPS://A.test/x, then http://b.test/y!', ['HTTPS://A.test/x', 'http://b.test/y']],
  ['(see http://a.test/b_(c).)', ['http://a.test/b_(c)']],
  ['[1]: <http://a.test/b?c=d&e=f>', ['http://a.test/b?c=d&e=f']],
  ['"http://a.test/q"; \'http://a.test/r\'', ['http://a.test/q', 'http://a.test/r']],
  ['[text](http://a.test/md)', ['http://a.test/md']],
  ['http://a.test/x...', ['http://a.test/x']],
  ['http://a.test/日本。次', ['http://a.test/日本']],
  ['**http://a.test/b**', ['http://a.test/b']],
  ['http://a.test/?u=http://b.test/', ['http://a.test/?u=http://b.test/']],
  ['ftp://a.test xhttp://a.test http:// https://... http:/a', []],
  ['', []],
])('finds in %j %j', (text, links) => {
  expect(plainTextLinks(text)).toEqual(links)
})

it('finds every link of a long text', () => {
  expect(plainTextLinks('http://a.test '.repeat(20_000))).toHaveLength(20_000)
})

it('passes over a link that is too long', () => {
  expect(plainTextLinks(`http://${'a'.repeat(9_000)} http://b.test`)).toEqual(['http://b.test'])
})

it('gives only text that was there, in order, without throwing', () => {
  const unit = fc.constantFrom('http', 's', '://', 'a', '.', ')', '(', ' ', ']', '\ufffd', '/')
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      let from = 0
      for (const link of plainTextLinks(text)) {
        expect(link).toMatch(/^https?:\/\/[^\s]/)
        from = text.indexOf(link, from) + link.length
        expect(from).toBeGreaterThanOrEqual(link.length)
      }
    }),
  )
})
