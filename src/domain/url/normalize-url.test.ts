import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileUrl, ordinaryUrl } from '../../../testing/url-arbitraries.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { isNormalUrl } from './is-normal-url.ts'
import { createNormalizer, type NormalizerOptions, normalizeUrl } from './normalize-url.ts'

function normal(url: string, options: NormalizerOptions = {}): string {
  const result = createNormalizer(options)(url)
  return result.ok ? result.url : result.reason
}

/** Path and query behind `http://h.example`. */
function tail(pathAndQuery: string, options?: NormalizerOptions): string {
  return normal(`http://h.example${pathAndQuery}`, options).replace('http://h.example', '')
}

describe("follows Nutch's basic rules: it", () => {
  it.each([
    ['  HTTP://Host.Example  ', 'http://host.example/'],
    ['http://h.example:80/a', 'http://h.example/a'],
    ['https://h.example:443/a', 'https://h.example/a'],
    ['http://h.example:/a', 'http://h.example/a'],
    ['http://h.example:81/a', 'http://h.example:81/a'],
    ['https://h.example:80/a', 'https://h.example:80/a'],
    ['http://h.example/p.html#x', 'http://h.example/p.html'],
    ['http://h.example?a=1', 'http://h.example/?a=1'],
    ['https://u@h.example:1234/a#t', 'https://h.example:1234/a'],
    ['https://good.example:secret@evil.example/', 'https://evil.example/'],
    ['https://exa%2Emple.org/', 'https://exa.mple.org/'],
  ])('makes of %j %j', (from, to) => expect(normal(from)).toBe(to))

  it.each([
    ['/%66oo.htm%6C', '/foo.html'],
    ['/x%c0', '/x%C0'],
    ['/a b', '/a%20b'],
    ['/ñ', '/%C3%B1'],
    ['/d%2fz', '/d%2Fz'],
    ['/?q=a%26b', '/?q=a%26b'],
    ['/?q=a+b', '/?q=a+b'],
    ['/f%23c', '/f%23c'],
    ['/?x[y]=1', '/?x%5By%5D=1'],
    ['/p%zz%77%v', '/p%25zzw%25v'],
    ['/?q=z%', '/?q=z%25'],
    ['/?q=z%2', '/?q=z%252'],
    ['/?q=z%25', '/?q=z%25'],
    ['/"<>[]^`{|}', '/%22%3C%3E%5B%5D%5E%60%7B%7C%7D'],
    ['/?"<>[]^`{|}', '/?%22%3C%3E%5B%5D%5E%60%7B%7C%7D'],
    ['/..', '/'],
    ['/a/../', '/'],
    ['/a/b/../', '/a/'],
    ['/../../f', '/f'],
    ['/a/../../f', '/f'],
    ['/a..a/f', '/a..a/f'],
    ['//a//b//f', '/a/b/f'],
    ['/a?u=http://b.example', '/a?u=http://b.example'],
    ['/a?u=b/../c//d', '/a?u=b/../c//d'],
  ])('makes of the path %j %j', (from, to) => expect(tail(from)).toBe(to))
})

describe("follows Nutch's regex rules: it", () => {
  it.each([
    ['/x?PHPSESSID=abc&f=2', '/x?f=2'],
    ['/x?f=2&PHPSESSID=abc&q=3', '/x?f=2&q=3'],
    ['/x?f=2&PHPSESSID=abc', '/x?f=2'],
    ['/x?PHPSESSID=abc', '/x'],
    ['/x.html;jsessionid=AB?p=1', '/x.html?p=1'],
    ['/x?p=1;jsessionid=AB&q=2', '/x?p=1&q=2'],
    ['/x?_sid=1&lsid=2&jsid=3&BV_SessionID=4&sessionid=5&a=6', '/x?a=6'],
    ['/x?%73id=1&a=2', '/x?a=2'],
    ['/x?NewsID=15', '/x?NewsID=15'],
    ['/x?addressid=2', '/x?addressid=2'],
    ['/x?x=y&&&z=a', '/x?x=y&z=a'],
    ['/x?&a=1', '/x?a=1'],
    ['/x?a=1&', '/x?a=1'],
    ['/x?', '/x'],
    ['/x?&&', '/x'],
  ])('makes of %j %j', (from, to) => expect(tail(from)).toBe(to))
})

describe('differs from Nutch on purpose: it', () => {
  it.each([
    'ftp://u:p@h.example/',
    'file:///etc/passwd',
    'mailto:a@h.example',
    'javascript:alert(1)',
    'data:,x',
    'tel:1',
    'ws://h/',
  ])('refuses %j: only http and https are crawled', (url) => expect(normal(url)).toBe('scheme'))
  it.each(['http:////', 'http:', 'http://'])('refuses %j, where Nutch makes a URL without a host', (url) =>
    expect(normal(url)).toBe('unparsable'),
  )
  it('finds the host of http:////h.example/a where browsers find it', () =>
    expect(normal('http:////h.example/a')).toBe('http://h.example/a'))
  it('writes host names as browsers do (UTS 46), where Nutch keeps or lower-cases them', () => {
    expect(normal('http://straße.de/')).toBe('http://xn--strae-oqa.de/')
    expect(normal('http://BÜCHER.example/')).toBe('http://xn--bcher-kva.example/')
    expect(normal('http://😀.example/')).toBe('http://xn--e28h.example/')
  })
  it('writes addresses in one way, so that none hides behind another notation', () => {
    for (const host of ['127.1', '0x7f.1', '2130706433', '0177.0.0.1', '１２７.0.0.1', '127.0.0.1.']) {
      expect(normal(`http://${host}/`)).toBe('http://127.0.0.1/')
    }
    expect(normal('http://[0:0::1]/')).toBe('http://[::1]/')
  })
  it('refuses host names that DNS cannot hold, which Nutch keeps', () => {
    const longest = `${'a.'.repeat(125)}com`
    expect(longest).toHaveLength(253)
    expect(normal(`http://${longest}/a`)).toBe(`http://${longest}/a`)
    expect(normal(`http://${longest}./a`)).toBe(`http://${longest}/a`)
    expect(normalizeUrl(`http://${'a.'.repeat(126)}io/a`)).toEqual({
      ok: false,
      reason: 'host',
      detail: 'the host name has 254 octets; DNS allows 253',
    })
    for (const prefix of ['', 'www.']) {
      expect(normal(`http://${prefix}${'a'.repeat(63)}.com/a`)).toBe(
        `http://${prefix}${'a'.repeat(63)}.com/a`,
      )
      expect(normalizeUrl(`http://${prefix}${'a'.repeat(64)}.com/a`)).toEqual({
        ok: false,
        reason: 'host',
        detail: 'the host name has a label of 64 octets; DNS allows 63',
      })
    }
    // Counted in its ASCII form.
    expect(normal(`http://${'äß漢字'.repeat(15)}.de/`)).toBe('host')
    expect(normal('http://[2001:db8::1]/')).toBe('http://[2001:db8::1]/')
  })

  it('drops the root dot of a host, which Nutch does by option: one host, one queue', () => {
    expect(normal('http://h.example./a')).toBe('http://h.example/a')
    for (const host of ['h.example..', '.', '.h.example', 'a..b'])
      expect(normal(`http://${host}/`)).toBe('host')
  })
  it('keeps a trailing dot of the path, which Nutch drops: /Warner_Bros. is a page of its own', () =>
    expect(tail('/Warner_Bros.')).toBe('/Warner_Bros.'))
  it('keeps a trailing ? that is data, and & in a path', () => {
    expect(tail('/x?q=why?')).toBe('/x?q=why?')
    expect(tail('/AT&&T&')).toBe('/AT&&T&')
  })
  it('reads #s?x=y as a fragment, as the URL standard and the basic normalizer do', () =>
    expect(tail('/x.html#s?x=y')).toBe('/x.html'))
  it('keeps :// in a path, so that archives of URLs stay reachable', () => {
    expect(tail('/web/2020/http://a.example//b')).toBe('/web/2020/http://a.example/b')
    expect(tail('/web/http:////a')).toBe('/web/http://a')
  })
  it('drops a session id in the path up to the end of its segment, where Nutch drops the rest of the path', () =>
    expect(tail('/a;jsessionid=1;v=2/b')).toBe('/a;v=2/b'))
  it('takes session ids for parameters only, where Nutch finds them after any non-word character', () =>
    expect(tail('/x?my-sid=1')).toBe('/x?my-sid=1'))
  it('escapes a backslash in a query and reads one in a path as a slash', () =>
    expect(tail('\\a\\b?c\\d')).toBe('/a/b?c%5Cd'))
})

describe('leaves no work for a second pass: it', () => {
  it.each([
    ['/a/b/..;sid=1/c', '/a/c'],
    ['/a/;sid=1/b', '/a/b'],
    ['/a/%2e%2E/b', '/b'],
    ['/a/.%2e', '/'],
    ['/%2541', '/%2541'],
    ['/%%34%31', '/%2541'],
    ['/%2%35', '/%2525'],
    ['/%00', '/%00'],
    ['/a\tb\nc', '/abc'],
  ])('makes of %j %j', (from, to) => {
    expect(tail(from)).toBe(to)
    expect(tail(to)).toBe(to)
  })
})

describe('refuses with a reason: it', () => {
  it.each([
    ['', 'empty'],
    [' \t\n', 'empty'],
    ['/relative', 'unparsable'],
    ['http://h%2X.example/', 'unparsable'],
    ['http://[fe80::1%25eth0]/', 'unparsable'],
    ['http://h.example:99999/', 'unparsable'],
    ['http://a b/', 'unparsable'],
    ['view-source:http://h.example/', 'scheme'],
    ['blob:http://h.example/1', 'scheme'],
    [`http://h.example/${'a'.repeat(8_200)}`, 'too-long'],
    [`http://h.example/${'é'.repeat(1_500)}`, 'too-long'],
    [`http://h.example/?${'a&'.repeat(500_000)}`, 'too-long'],
  ])('calls %.30j %s', (url, reason) => expect(normal(url)).toBe(reason))

  it('says what the limit was', () => {
    expect(createNormalizer({ maxLength: 20 })('http://h.example/abcd')).toEqual({
      ok: false,
      reason: 'too-long',
      detail: '21 characters; the limit is 20',
    })
    expect(normal('http://h.example/abc', { maxLength: 20 })).toBe('http://h.example/abc')
  })
  it('does not count a fragment', () =>
    expect(normal(`http://h.example/#${'a'.repeat(9_000)}`)).toBe('http://h.example/'))
  it.each([0, -1, 1.5, Number.NaN, 70_000])('refuses maxLength %d at start', (maxLength) =>
    expect(() => createNormalizer({ maxLength })).toThrow(ConfigurationError),
  )
})

describe('resolves against a base: it', () => {
  it.each([
    ['b', 'http://h.example/a/b'],
    ['?q=1', 'http://h.example/a/page?q=1'],
    ['', 'http://h.example/a/page?x=1'],
    ['#top', 'http://h.example/a/page?x=1'],
    ['//other.example', 'http://other.example/'],
    ['../../..', 'http://h.example/'],
    ['HTTPS://h.example', 'https://h.example/'],
  ])('makes of %j %j', (href, to) =>
    expect(normalizeUrl(href, 'http://h.example/a/page?x=1#f')).toEqual({ ok: true, url: to }),
  )
  it('needs no usable base for an absolute URL', () => {
    expect(normalizeUrl('http://H.example', 'http://[')).toEqual({ ok: true, url: 'http://h.example/' })
    expect(normalizeUrl('a', 'http://[')).toMatchObject({ ok: false, reason: 'unparsable' })
  })
})

describe('does by option: it', () => {
  it('sorts the query as text', () =>
    expect(tail('/?c=d&a=c&a=b', { sortQuery: true })).toBe('/?a=b&a=c&c=d'))
  it('drops tracking parameters', () => {
    const options = { removeTrackingParameters: true }
    expect(tail('/?utm_source=x&a=1&GCLID=y&fbclid&mtm_kwd=z', options)).toBe('/?a=1')
    expect(tail('/?utm_source=x', options)).toBe('/')
    expect(tail('/?a=utm_source', options)).toBe('/?a=utm_source')
    expect(tail('/?utm_source=x')).toBe('/?utm_source=x')
  })
  it('keeps session ids when told to', () =>
    expect(tail('/a;jsessionid=1?sid=2', { removeSessionIds: false })).toBe('/a;jsessionid=1?sid=2'))
  it.each([
    ['/page', '/page/'],
    ['/page?a=b', '/page/?a=b'],
    ['/noise.mp3', '/noise.mp3'],
    ['/page.shtml', '/page.shtml'],
    ['/this.is.not.an_extension', '/this.is.not.an_extension/'],
    ['/', '/'],
  ])('adds a trailing slash to %j: %j', (from, to) => expect(tail(from, { trailingSlash: 'add' })).toBe(to))
  it('adds none to /a.js, where Nutch takes a short path for a directory', () =>
    expect(tail('/a.js', { trailingSlash: 'add' })).toBe('/a.js'))
  it.each([
    ['/page/', '/page'],
    ['/page/?a=b', '/page?a=b'],
    ['/', '/'],
    ['/http://', '/http:'],
  ])('removes the trailing slash of %j: %j', (from, to) =>
    expect(tail(from, { trailingSlash: 'remove' })).toBe(to),
  )
  it('keeps the port when it changes a slash, which Nutch loses', () =>
    expect(normal('http://h.example:81/a', { trailingSlash: 'add' })).toBe('http://h.example:81/a/'))
  it('drops default pages', () => {
    const options = { removeDefaultPage: true }
    expect(tail('/a/Index.HTML?x', options)).toBe('/a/?x')
    expect(tail('/default.aspx', options)).toBe('/')
    expect(tail('/myindex.html', options)).toBe('/myindex.html')
    expect(tail('/a/index.html/', { ...options, trailingSlash: 'remove' })).toBe('/a')
  })
})

const anyOptions: fc.Arbitrary<NormalizerOptions> = fc.record({
  sortQuery: fc.boolean(),
  removeTrackingParameters: fc.boolean(),
  removeSessionIds: fc.boolean(),
  removeDefaultPage: fc.boolean(),
  trailingSlash: fc.constantFrom('keep' as const, 'add' as const, 'remove' as const),
  maxLength: fc.constantFrom(40, 8_192),
})

/** What every normal form looks like: nothing outside RFC 3986, no userinfo, no fragment, escapes in upper case. */
const NORMAL_FORM =
  /^https?:\/\/(?:[^\s/?#@:[\]%A-Z\\]+|\[[0-9a-f:.]+\])(?::\d+)?\/(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-F]{2})*(?:\?(?:[\w\-.~!$&()*+,;=:@/?]|%[0-9A-F]{2})+)?$/

describe('holds for all input: it', () => {
  it('is idempotent, whatever the options, and never throws', () => {
    fc.assert(
      fc.property(hostileUrl, anyOptions, (url, options) => {
        const normalize = createNormalizer(options)
        const once = normalize(url)
        if (once.ok) expect(normalize(once.url)).toEqual(once)
      }),
      { numRuns: 4_000 },
    )
  })

  it('gives only URLs of RFC 3986 that the URL standard reads as they are', () => {
    fc.assert(
      fc.property(hostileUrl, (url) => {
        const result = normalizeUrl(url)
        if (!result.ok) return
        expect(result.url).toMatch(NORMAL_FORM)
        expect(new URL(result.url).href).toBe(result.url)
      }),
      { numRuns: 4_000 },
    )
  })

  it('gives the same on the short way as on the long one, which a leading tab enforces', () => {
    let short = 0
    fc.assert(
      fc.property(
        fc.oneof(ordinaryUrl, hostileUrl),
        fc.oneof(fc.constant({}), anyOptions),
        (url, options) => {
          if (isNormalUrl(url)) short++
          const normalize = createNormalizer(options)
          expect(normalize(url)).toEqual(normalize(`\t${url}`))
        },
      ),
      { numRuns: 6_000 },
    )
    expect(short).toBeGreaterThan(300)
  })
})

describe('takes the short way: it', () => {
  it('treats every escape of a byte as the long way does', () => {
    for (let byte = 0; byte < 256; byte++) {
      const upper = `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
      const character = String.fromCharCode(byte)
      const expected = /[A-Za-z0-9\-._~]/.test(character) ? character : upper
      for (const spelling of [upper, upper.toLowerCase()]) {
        for (const start of ['http://h.example/a', 'http://h.example/?a=b', '\thttp://h.example/a']) {
          expect(normal(start + spelling)).toBe(start.trim() + expected)
        }
      }
    }
  })
  it.each([
    'http://h.example/',
    'https://www.h-x.example:8080/a/b.html?id=1&b=c%2F',
    'http://h.example/a?u=http://b.example/',
    'http://127.0.0.1:8080/a',
    'http://255.249.199.9/',
    'http://1.2.3.4.example/',
  ])('knows %j at a glance', (url) => expect(isNormalUrl(url)).toBe(true))
  it('knows no address that is written otherwise than the URL standard writes it', () => {
    const byte = fc.oneof(
      fc.integer({ min: 0, max: 300 }).map(String),
      fc.constantFrom('00', '01', '0x1', ''),
    )
    fc.assert(
      fc.property(fc.array(byte, { minLength: 1, maxLength: 5 }), (bytes) => {
        const url = `http://${bytes.join('.')}/`
        if (isNormalUrl(url)) expect(URL.parse(url)?.href).toBe(url)
      }),
      { numRuns: 2_000 },
    )
  })
  it('gives back the very same string', () => {
    const url = 'http://h.example/a?b=c'
    expect(normalizeUrl(url)).toEqual({ ok: true, url })
  })
})

describe('other schemes', () => {
  const normalize = createNormalizer({ schemes: ['file:', 'ftp:', 'memo:'] })

  it.each([
    ['file:///a/../b c/ü.txt?x#y', 'file:///b%20c/%C3%BC.txt'],
    ['file://localhost/a', 'file:///a'],
    ['ftp://User:pass@FTP.Example.org:21/a/../b#c', 'ftp://ftp.example.org/b'],
    ['memo://desk', 'memo://desk/'],
  ])('normalizes %s', (url, normal) => {
    expect(normalize(url)).toEqual({ ok: true, url: normal })
    expect(normalize(normal)).toEqual({ ok: true, url: normal })
  })

  it.each(['file://server/share/a', 'file:///a%2Fb', 'memo:desk', 'javascript:x'])('rejects %s', (url) => {
    expect(normalize(url)).toMatchObject({ ok: false })
  })

  it('are followed from pages of the same scheme only', () => {
    expect(normalize('b.html', 'file:///x/a.html')).toEqual({ ok: true, url: 'file:///x/b.html' })
    expect(normalize('http://a.test/', 'file:///x/a.html')).toMatchObject({ ok: true })
    for (const base of ['http://a.test/', 'https://a.test/', 'ftp://a.test/'])
      expect(normalize('file:///etc/passwd', base)).toMatchObject({ ok: false, reason: 'scheme' })
    expect(normalize('ftp://a.test/', 'http://a.test/')).toMatchObject({ ok: false, reason: 'scheme' })
  })

  it('are rejected by default, with a hint where they can be enabled', () => {
    expect(createNormalizer({ schemes: [] })('file:///a')).toMatchObject({
      detail: expect.stringContaining('--allow-files'),
    })
  })
})
