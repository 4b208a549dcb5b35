import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_ROBOTS_BYTES, parseRobots } from './parse-robots.ts'

/** Half a surrogate pair too. */
const anyUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code))

const allows = (file: string | Uint8Array, path: string, agent = 'FooBot') =>
  parseRobots(file).rulesFor(agent).judge(path).allowed
const verdict = (file: string | Uint8Array, path: string, agent = 'FooBot') =>
  parseRobots(file).rulesFor(agent).judge(path)

describe('RFC 9309, 2.1 and 2.2: lines', () => {
  it.each([
    ['LF', 'User-agent: FooBot\nDisallow: /a\n'],
    ['CRLF', 'User-agent: FooBot\r\nDisallow: /a\r\n'],
    ['CR alone', 'User-agent: FooBot\rDisallow: /a\r'],
    ['no newline at the end', 'User-agent: FooBot\nDisallow: /a'],
    ['a byte order mark', '\uFEFFUser-agent: FooBot\nDisallow: /a'],
    ['two thirds of a byte order mark', Buffer.from('\xEF\xBBUser-agent: FooBot\nDisallow: /a', 'latin1')],
    ['a third of a byte order mark', Buffer.from('\xEFUser-agent: FooBot\nDisallow: /a', 'latin1')],
    ['white space everywhere', ' \tUser-agent \t:\t FooBot \n\t Disallow\v:\f/a \t\n'],
    ['no white space', 'User-agent:FooBot\nDisallow:/a'],
    ['any case in the field name', 'USER-AGENT: FooBot\ndIsAlLoW: /a'],
    ['a comment after the value', 'User-agent: FooBot# us\nDisallow: /a#b'],
    ['a comment between', '# hello\nUser-agent: FooBot\n# Allow: /\nDisallow: /a\n#'],
    ['an empty line between', 'User-agent: FooBot\n\n\nDisallow: /a'],
    ['a forgotten colon', 'User-agent FooBot\nDisallow\t/a'],
    ['common misspellings', 'useragent: FooBot\ndissallow: /a'],
    ['more of them', 'user agent: FooBot\ndisalow: /a'],
    ['a NUL after the value', 'User-agent: FooBot\nDisallow: /a\0b'],
  ])('reads a file with %s', (_, file) => {
    expect(allows(file, '/a/x')).toBe(false)
    expect(allows(file, '/b')).toBe(true)
  })

  it.each([
    ['nothing', ''],
    ['an HTML page', '<!doctype html>\n<html><body>User-agent: *\n<p>Disallow: /</p></body></html>'],
    ['UTF-16, little end first', Buffer.from('\uFEFFUser-agent: *\r\nDisallow: /\r\n', 'utf16le')],
    ['UTF-16, big end first', Buffer.from('\uFEFFUser-agent: *\r\nDisallow: /\r\n', 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from('User-agent: *\r\nDisallow: /\r\n', 'utf16le')],
    ['nothing but NULs', Buffer.alloc(1_000)],
    ['a rule before any User-agent', 'Disallow: /\nUser-agent: FooBot\nAllow: /x'],
    ['names that only look like fields', 'User-agent: *\nDisallowed: /\nDis allow: /\nNoDisallow: /'],
    ['three words without a colon', 'User-agent: *\nDisallow / now'],
    ['paths that cannot begin a path', 'User-agent: *\nDisallow: a\nDisallow: https://a.test/\nDisallow: $'],
    ['an empty Disallow', 'User-agent: *\nDisallow:'],
    [
      'a first line after a damaged byte order mark',
      Buffer.from('\xEF\x11\xBFUser-agent: *\nDisallow: /', 'latin1'),
    ],
  ])('finds no rule in %s', (_, file) => {
    expect(verdict(file, '/a')).toMatchObject({ allowed: true, kind: 'no-rule' })
  })

  it('does not mistake a letter whose last octet looks like a space for a space', () => {
    const file = 'User-agent: FooBot\nDisallow: /voilà'
    expect(allows(file, '/voil%C3%A0')).toBe(false)
    expect(allows(file, '/voil%C3%A9')).toBe(true)
  })

  it('counts lines with any line ending', () => {
    const file = '# 1\r\n\r\nUser-agent: FooBot\rAllow: /b\n\nDisallow: /a\r\n'
    expect(verdict(file, '/a').line?.number).toBe(6)
    expect(verdict(file, '/b').line?.number).toBe(4)
  })
})

describe('RFC 9309, 2.2.1: groups', () => {
  it('gives consecutive User-agent lines one group', () => {
    const file = 'User-agent: FooBot\nUser-agent: BarBot\nDisallow: /a\n\nUser-agent: BazBot\nDisallow: /b'
    expect(allows(file, '/a', 'FooBot')).toBe(false)
    expect(allows(file, '/a', 'BarBot')).toBe(false)
    expect(allows(file, '/a', 'BazBot')).toBe(true)
    expect(allows(file, '/b', 'FooBot')).toBe(true)
  })

  it('merges every group that names the crawler', () => {
    const file =
      'User-agent: FooBot\nDisallow: /a\nUser-agent: *\nDisallow: /s\nUser-agent: foobot\nDisallow: /b\nAllow: /b/c'
    expect(['/a', '/b', '/b/c', '/s'].map((path) => allows(file, path))).toEqual([false, false, true, true])
  })

  it('uses * only if no group names the crawler, not even an empty group', () => {
    const file = 'User-agent: *\nDisallow: /\nUser-agent: FooBot\nDisallow:\nUser-agent: BarBot'
    expect(allows(file, '/', 'FooBot')).toBe(true)
    expect(allows(file, '/', 'BarBot')).toBe(true)
    expect(allows(file, '/', 'OtherBot')).toBe(false)
  })

  it('allows everything if there is neither', () => {
    expect(verdict('User-agent: BarBot\nDisallow: /', '/')).toMatchObject({ allowed: true, kind: 'no-rule' })
  })

  it.each(['foobot', 'FOOBOT', 'FooBot/1.2', 'FooBot and friends', 'FooBot*', 'foobot2'])(
    'takes "%s" in the file for FooBot',
    (name) => {
      expect(allows(`User-agent: ${name}\nDisallow: /`, '/')).toBe(false)
    },
  )

  it.each(['Foo', 'FooBotNews', 'foo-bot', 'MyFooBot', '', '*FooBot'])(
    'does not take "%s" in the file for FooBot',
    (name) => {
      expect(allows(`User-agent: ${name}\nDisallow: /`, '/')).toBe(true)
    },
  )

  it('finds a crawler with a digit or a version in its name', () => {
    expect(allows('User-agent: MJ12bot\nDisallow: /', '/', 'MJ12bot/v2.0 (http://a.test/)')).toBe(false)
  })

  it('accepts several names for the crawler and merges the rules for all of them', () => {
    const rules = parseRobots(
      'User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: *\nDisallow: /',
    ).rulesFor(['A', 'B'])
    expect(['/a', '/b', '/c'].map((path) => rules.judge(path).allowed)).toEqual([false, false, true])
  })

  it.each([
    'Sitemap: https://a.test/s.xml',
    'Host: a.test',
    'Crawl-delay: 1',
    'Clean-param: ref',
    'nonsense',
    '',
  ])('does not end a group or split its User-agent lines at "%s"', (line) => {
    const file = `User-agent: FooBot\n${line}\nUser-agent: BarBot\nDisallow: /a\n${line}\nDisallow: /b`
    for (const agent of ['FooBot', 'BarBot']) {
      expect(allows(file, '/a', agent)).toBe(false)
      expect(allows(file, '/b', agent)).toBe(false)
    }
  })

  it('uses the first of several names on one line', () => {
    const file = 'User-agent: FooBot, BarBot\nDisallow: /'
    expect(allows(file, '/', 'FooBot')).toBe(false)
    expect(allows(file, '/', 'BarBot')).toBe(true)
  })

  it('counts "* and more words" as all crawlers', () => {
    expect(allows('User-agent: * everyone\nDisallow: /', '/')).toBe(false)
  })

  it('gives the same result for any order of the groups', () => {
    const group = fc.record({
      agent: fc.constantFrom('foobot', 'BarBot', '*'),
      rules: fc.array(
        fc.tuple(fc.constantFrom('Allow', 'Disallow'), fc.constantFrom('/', '/a', '/a/b', '/*b', '/a$')),
        { minLength: 1, maxLength: 4 },
      ),
    })
    const write = (groups: ReadonlyArray<{ agent: string; rules: readonly (readonly [string, string])[] }>) =>
      groups
        .map(({ agent, rules }) =>
          [`User-agent: ${agent}`, ...rules.map((rule) => rule.join(': '))].join('\n'),
        )
        .join('\n')
    fc.assert(
      fc.property(
        fc.array(group, { maxLength: 6 }),
        fc.constantFrom('/', '/a', '/a/b', '/c'),
        (groups, path) => {
          const ours = groups.filter(({ agent }) => agent === 'foobot')
          const relevant = ours.length > 0 ? ours : groups.filter(({ agent }) => agent === '*')
          const expected = allows(write(groups), path)
          expect(allows(write(groups.toReversed()), path)).toBe(expected)
          expect(allows(write(relevant), path)).toBe(expected)
        },
      ),
    )
  })
})

describe('RFC 9309, 2.2.4: other records', () => {
  const delays = (file: string, ...agents: string[]) =>
    agents.map((agent) => parseRobots(file).rulesFor(agent).crawlDelayMs)

  it('gives a Crawl-delay to the agents directly above it, and to no others', () => {
    const file =
      'User-agent: SemrushBot\nUser-agent: BarBot\nCrawl-delay: 60\n\nUser-agent: *\nDisallow: /private\nCrawl-delay: 2'
    expect(delays(file, 'SemrushBot', 'BarBot', 'FooBot')).toEqual([60_000, 60_000, 2_000])
    expect(delays(file.replace('\nCrawl-delay: 2', ''), 'SemrushBot', 'FooBot')).toEqual([60_000, undefined])
  })

  it('gives each of two groups without rules its own Crawl-delay', () => {
    const file =
      'User-agent: *\nCrawl-delay: 5\nUser-agent: FooBot\nCrawl-delay: 1\nSitemap: x\nCrawl-delay: 3'
    expect(delays(file, 'FooBot', 'BarBot')).toEqual([3_000, 5_000])
  })

  it('gives a Crawl-delay after a rule to the agents of the rule', () => {
    expect(delays('User-agent: a\nUser-agent: b\nDisallow: /\nCrawl-delay: 5', 'a', 'b')).toEqual([
      5_000, 5_000,
    ])
  })

  it('gives usage preferences to the agents directly above them', () => {
    const file =
      'User-agent: BarBot\nContent-Signal: ai-train=no\nContent-Usage: train-ai=n\nUser-agent: *\nAllow: /'
    const rules = (agent: string) => parseRobots(file).rulesFor(agent)
    expect(rules('BarBot').contentSignals.aiTrain).toBe('disallow')
    expect(rules('BarBot').contentUsage('/').aiTrain).toBe('disallow')
    expect(rules('FooBot').contentSignals.aiTrain).toBe('unknown')
    expect(rules('FooBot').contentUsage('/').aiTrain).toBe('unknown')
  })

  it('returns the sitemaps for all crawlers, in order and each once', () => {
    const file =
      'Sitemap: https://a.test/1.xml?a=b:c\nUser-agent: x\nSite-map: https://a.test/2.xml\nDisallow: /\nsitemap: https://a.test/1.xml?a=b:c\nSitemap:'
    expect(parseRobots(file).rulesFor('FooBot').sitemaps).toEqual([
      'https://a.test/1.xml?a=b:c',
      'https://a.test/2.xml',
    ])
  })
})

describe('RFC 9309, 2.5: limits', () => {
  const rule = 'User-agent: *\nDisallow: /a\n'
  const filled = (bytes: number) => rule + '#'.repeat(bytes - rule.length)

  it('reads the line that ends with the 512,000th byte', () => {
    const last = '\nDisallow: /last'
    const file = filled(MAX_ROBOTS_BYTES - last.length) + last
    expect(allows(file, '/last')).toBe(false)
    expect(allows(`${file}\nDisallow: /next`, '/last')).toBe(false)
    expect(allows(`${file}\nDisallow: /next`, '/next')).toBe(true)
  })

  it('drops the line that the limit cuts in two', () => {
    const file = `${filled(MAX_ROBOTS_BYTES - 12)}\nDisallow: /last`
    expect(allows(file, '/')).toBe(true)
    expect(allows(file, '/last')).toBe(true)
    expect(allows(Buffer.from(file), '/last')).toBe(true)
    expect(allows(file, '/a')).toBe(false)
  })

  it('drops the last line of an input that was cut elsewhere', () => {
    const file = parseRobots('User-agent: *\nDisallow: /a\nDisallow: /', { cut: true }).rulesFor('FooBot')
    expect(file.judge('/b').allowed).toBe(true)
    expect(file.judge('/a').allowed).toBe(false)
  })

  it('counts the bytes of a string, not its characters', () => {
    const file = `User-agent: *\n#${'é'.repeat(MAX_ROBOTS_BYTES / 2)}\nDisallow: /`
    expect(allows(file, '/')).toBe(true)
  })

  it('reads only the start of a file of 100 MB', () => {
    const file = Buffer.alloc(100 * 1024 * 1024, 'Disallow: /a\n')
    file.write('User-agent: *\n')
    expect(allows(file, '/a')).toBe(false)
  })

  it('reads 100,000 groups, up to the size limit', () => {
    let file = ''
    for (let i = 0; i < 100_000; i++) file += `User-agent:b${i}\nDisallow:/\n`
    expect(allows(file, '/', 'b7')).toBe(false)
    expect(allows(file, '/', 'FooBot')).toBe(true)
  })

  it('is not slowed by lines of white space, colons or words', () => {
    for (const unit of [' ', ':', 'a ', ' :', '\t\v', '\r', 'User-agent:', '#']) {
      const file = unit.repeat(MAX_ROBOTS_BYTES / unit.length)
      expect(allows(file, '/')).toBe(true)
    }
  })
})

describe('any input', () => {
  it('never throws on bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.string({ unit: anyUnit }), (bytes, path) => {
        expect(typeof allows(bytes, path)).toBe('boolean')
      }),
    )
  })

  it('never throws on text like a robots.txt, and names only existing lines', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'User-agent:',
        'Disallow:',
        'Allow:',
        'Crawl-delay:',
        'Content-Usage:',
        'Content-Signal:',
      ),
      fc.constantFrom(
        '*',
        '$',
        '/',
        '#',
        '\n',
        '\r',
        '\r\n',
        ' ',
        '\0',
        '%',
        '%2',
        '%C3',
        'foobot',
        '=',
        'y',
        'n',
        ',',
      ),
      fc.string({ unit: anyUnit, maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.string({ unit: anyUnit }), (pieces, path) => {
        const text = pieces.join('')
        const rules = parseRobots(text).rulesFor('FooBot')
        const { kind, line } = rules.judge(`/${path}`)
        expect(rules.contentUsage(`/${path}`).lines.length).toBeLessThan(40)
        expect(line !== undefined).toBe(kind === 'rule')
        if (line) expect(line.number).toBeLessThanOrEqual(text.split(/\r\n|\r|\n/).length)
      }),
      { numRuns: 500 },
    )
  })
})
