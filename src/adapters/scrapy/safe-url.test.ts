import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalUrl } from './canonical-url.ts'
import { safeUrl } from './safe-url.ts'

describe('safeUrl', () => {
  // Beside the rows of vectors.json: what w3lib 2.4.1 gave for them under Python 3.11.
  it.each([
    ['http://İSTANBUL.tr/', 'http://xn--istanbul-o0e.tr/'],
    ['http://ıstanbul.tr/', 'http://xn--stanbul-qfb.tr/'],
    ['http://ΑΣ.gr/', 'http://xn--mxa0b.gr/'],
    ['http://中国。cn/', 'http://xn--fiqs8s.cn/'],
    ['http://ｆｕｌｌ.com/', 'http://full.com/'],
    ['http://a\u200db.com/', 'http://ab.com/'],
    ['http://שלום.il/', 'http://xn--9dbne9b.il/'],
    // IDNA has no form for these: right to left ending in a digit, an empty label, 64 characters.
    ['http://שלום1.il/', 'http://שלום1.il/'],
    ['http://.bücher.de/', 'http://.bücher.de/'],
    [`http://${'é'.repeat(70)}.de/`, `http://${'é'.repeat(70)}.de/`],
    ['http://a%41B.com/', 'http://a%41B.com/'],
    ['http://[FE80::1%Eth0]/', 'http://[fe80::1%Eth0]/'],
    ['http://example.com:0080/', 'http://example.com:80/'],
    ['http://u%3Aé:p%E9;=@a.com/', 'http://u%3A%C3%A9:p%EF%BF%BD%3B%3D@a.com/'],
    ['http://a@b@a.com/', 'http://a%40b@a.com/'],
    ['http://a.com/x#a#b[c', 'http://a.com/x#a%23b%5Bc'],
    ['http://a.com/💩?💩', 'http://a.com/%F0%9F%92%A9?%F0%9F%92%A9'],
  ])('makes %s %s', (url, safe) => expect(safeUrl(url)).toBe(safe))

  it.each([
    ...['', 'example.com', '/path', 'ftp://example.com/', 'mailto:a@example.com', 'http:example.com'],
    ...['http://', 'http:///path', 'http://user@/', 'http://a.com:99999/', 'http://a.com:x/', 'http://[::1/'],
    ...['http://[1.2.3.4]/', 'http://℀.com/', 'http://a.com/\ud800'],
  ])('has nothing for %j', (url) => expect(safeUrl(url)).toBeUndefined())

  it('takes user names as bytes, after 2.4.1', () => {
    expect(safeUrl('http://p%E9@a.com/', { w3lib: 'head' })).toBe('http://p%E9@a.com/')
  })

  it('gives a query a path, after 2.4.1', () => {
    expect(safeUrl('http://a.com?x', { w3lib: 'head' })).toBe('http://a.com/?x')
  })

  it('gives a URL that is its own safe URL, and ASCII but for the host', () => {
    let checked = 0
    fc.assert(
      fc.property(urls, fc.constantFrom('2.4.1' as const, 'head' as const), (url, w3lib) => {
        const safe = safeUrl(url, { w3lib })
        if (safe === undefined) return
        checked++
        expect(safeUrl(safe, { w3lib })).toBe(safe)
        expect(safe).toMatch(/^https?:\/\/[^/?#]+[!-~]*$/)
      }),
      { numRuns: 500 },
    )
    expect(checked).toBeGreaterThan(0)
  })
})

describe('canonicalUrl', () => {
  it('never throws, and has a form for exactly what is safe', () => {
    fc.assert(
      fc.property(fc.oneof(urls, fc.string({ unit: 'binary' })), (url) => {
        expect(canonicalUrl(url) === undefined).toBe(safeUrl(url) === undefined)
      }),
      { numRuns: 500 },
    )
  })

  it('does not depend on the order of parameters', () => {
    const fields = fc.array(fc.stringMatching(/^[a-c%+=2f]{1,6}$/), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fields, (parts) => {
        const reversed = [...parts].reverse()
        expect(canonicalUrl(`http://a/?${reversed.join('&')}`)).toBe(
          canonicalUrl(`http://a/?${parts.join(';')}`),
        )
      }),
      { numRuns: 200 },
    )
  })

  it('gives an international host behind a user a second chance, as 2.4.1 does', () => {
    expect(canonicalUrl('http://u@.bücher.de/')).toBe('http://u@.xn--bcher-kva.de/')
    expect(canonicalUrl('http://u@.bücher.de/', { w3lib: 'head' })).toBe('http://u@.bücher.de/')
  })
})

const urls = fc
  .tuple(
    fc.constantFrom('http://', 'HTTPS://', 'http://u:p@', 'http://é@'),
    fc.oneof(fc.domain(), fc.constantFrom('bücher.de', 'faß.de', '[::1]', 'A%41', 'שלום1')),
    fc.constantFrom('', ':', ':80'),
    fc.array(fc.constantFrom(...Array.from('/?#;&=%aé中💩 []|\\\'"+\n'), '%2f', '%41', '%e9'), {
      maxLength: 20,
    }),
  )
  .map(([scheme, host, port, rest]) => `${scheme}${host}${port}/${rest.join('')}`)
