import { describe, expect, it } from 'vitest'
import { parseRobots } from './parse-robots.ts'

const rulesOf = (...lines: string[]) => parseRobots(['User-agent: *', ...lines].join('\n')).rulesFor('FooBot')

describe('RFC 9309, 2.2.2: the most specific rule', () => {
  it('is the one with the most octets, in any order', () => {
    const rules = rulesOf('Disallow: /', 'Allow: /x/page', 'Disallow: /x/page.html$', 'Allow: /x/')
    expect(rules.judge('/x/page')).toMatchObject({ allowed: true, line: { number: 3 } })
    expect(rules.judge('/x/page.html')).toMatchObject({ allowed: false, line: { number: 4 } })
    expect(rules.judge('/x/other')).toMatchObject({ allowed: true, line: { number: 5 } })
    expect(rules.judge('/y')).toMatchObject({ allowed: false, line: { number: 2 } })
  })

  it('is Allow when two are equally long', () => {
    expect(rulesOf('Disallow: /a', 'Allow: /a').judge('/a')).toMatchObject({
      allowed: true,
      line: { number: 3 },
    })
    expect(rulesOf('Allow: /a', 'Disallow: /a').judge('/a')).toMatchObject({
      allowed: true,
      line: { number: 2 },
    })
    expect(rulesOf('Disallow: /*b', 'Allow: /a/').judge('/a/b').allowed).toBe(true)
  })

  it('is found in the octets of the encoded form', () => {
    // é is one letter and six octets.
    expect(rulesOf('Allow: /abcd*', 'Disallow: /*é').judge('/abcd%C3%A9').allowed).toBe(false)
  })

  it.each([
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz'],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%E3%83%84', '/foo/bar/ツ'],
    ['/foo/bar/%e3%83%84', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
    ['/foo/bar/baz', '/foo/bar/%62%61%7a'],
    ['/a%20b', '/a b'],
  ])('is compared without regard to spelling: %s and %s', (pattern, path) => {
    expect(rulesOf(`Disallow: ${pattern}`).judge(path).allowed).toBe(false)
  })

  it('keeps an encoded slash apart from a slash', () => {
    expect(rulesOf('Disallow: /a/b').judge('/a%2Fb').allowed).toBe(true)
    expect(rulesOf('Disallow: /a%2fb').judge('/a%2Fb').allowed).toBe(false)
  })

  it('is case-sensitive in paths', () => {
    expect(rulesOf('Disallow: /A').judge('/a').allowed).toBe(true)
  })

  it('includes the query', () => {
    const rules = rulesOf('Disallow: /*?*sort=', 'Disallow: /*?$')
    expect(['/a?b=c&sort=d', '/a?', '/a?b', '/sort='].map((path) => rules.judge(path).allowed)).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it('never disallows robots.txt itself', () => {
    const rules = rulesOf('Disallow: /')
    expect(rules.judge('https://a.test/robots.txt')).toMatchObject({ allowed: true, kind: 'robots-txt' })
    expect(rules.judge('https://a.test/robots.txt.bak').allowed).toBe(false)
    expect(rules.judge('https://a.test/dir/robots.txt').allowed).toBe(false)
  })
})

describe('RFC 9309, 2.2.3 and 5.2: special characters', () => {
  it('treats * as any text, $ as the end and # as a comment', () => {
    const rules = rulesOf('Disallow: *.gif$', 'Disallow: /*/private # keep out', 'Allow: /publications/')
    expect(rules.judge('/images/a.gif').allowed).toBe(false)
    expect(rules.judge('/images/a.gif?x').allowed).toBe(true)
    expect(rules.judge('/x/private/y').allowed).toBe(false)
    expect(rules.judge('/publications/a').allowed).toBe(true)
  })

  it('treats %2A and %24 as a literal star and dollar', () => {
    const rules = rulesOf('Disallow: /file-%2A.html', 'Disallow: /foo-%24')
    expect(rules.judge('/file-*.html').allowed).toBe(false)
    expect(rules.judge('/file-x.html').allowed).toBe(true)
    expect(rules.judge('/foo-$').allowed).toBe(false)
  })

  it('is fast with a file full of stars', () => {
    const rules = rulesOf(...Array.from({ length: 20 }, () => `Disallow: /${'*a'.repeat(10_000)}b`))
    expect(rules.judge(`https://a.test/${'a'.repeat(60_000)}`).allowed).toBe(true)
  })

  it('is fast with the maximum number of rules', () => {
    const rules = rulesOf(...Array.from({ length: 35_000 }, (_, i) => `Disallow:/*${i}$`))
    expect(rules.judge('/a34999').allowed).toBe(false)
    expect(rules.judge('/a').allowed).toBe(true)
  })
})

describe('a file full of wildcards', () => {
  // With one search per pattern, the first takes about a minute: at each position of the path, each piece fails at its third octet.
  it.each([
    ['short pieces', (i: number) => `Disallow:/*aa${i}`],
    ['one piece before another', (i: number) => `Disallow:/*aa*${i.toString(36)}z`],
    ['pieces within pieces', (i: number) => `Disallow:/*${'a'.repeat(i % 1_000)}*z${i}`],
    ['pieces before an end', (i: number) => `Disallow:/*aaz${i.toString(36)}*a$`],
    ['statements of usage', (i: number) => `Content-Usage:/*aa${i} search=n`],
  ])('decides about 20 links at once: %s', (_, line) => {
    const lines: string[] = []
    for (let bytes = 14, i = 0; bytes < 500 * 1024; i++) bytes += lines[lines.push(line(i)) - 1]?.length ?? 0
    const rules = rulesOf('Allow: /*not-there', ...lines)
    for (let i = 0; i < 20; i++) {
      const path = `/${'a'.repeat(8_000 + i)}`
      expect(rules.judge(path).allowed).toBe(true)
      expect(rules.contentUsage(path).lines).toEqual([])
    }
    expect(rules.judge('/x/not-there')).toMatchObject({ allowed: true, line: { number: 2 } })
  })
})

describe('evidence', () => {
  it('names the line as written', () => {
    expect(rulesOf('  disallow : /a   # mine').judge('/a/b')).toEqual({
      allowed: false,
      kind: 'rule',
      reason: 'line 2: disallow : /a   # mine',
      line: { number: 2, text: 'disallow : /a   # mine' },
    })
  })

  it('has no control characters and is not too long', () => {
    const text = (line: string) => rulesOf(line).judge('/aé').line?.text
    expect(text('Disallow: /aé # \x1b[31m\u202Ered\u200B\x07')).toBe('Disallow: /aé # [31mred')
    expect(text(`Disallow: /a # ${'x'.repeat(100_000)}`)?.length).toBeLessThan(400)
  })
})

describe('Crawl-delay', () => {
  it.each([
    ['10', 10_000],
    ['0.5', 500],
    ['.25', 250],
    ['0', 0],
    ['1e9', 1e12],
    ['10s', 10_000],
    ['1e999', Number.MAX_SAFE_INTEGER],
    ['-1', undefined],
    ['soon', undefined],
    ['Infinity', undefined],
    ['NaN', undefined],
    ['.', undefined],
    ['', undefined],
  ])('reads %s as %s ms', (value, delayMs) => {
    expect(rulesOf(`Crawl-delay: ${value}`).crawlDelayMs).toBe(delayMs)
  })

  it('is the longest of those for the crawler', () => {
    const file =
      'User-agent: a\nCrawl-delay: 3\nDisallow:\nUser-agent: a\nCrawl-delay: 5\nCrawl-delay: 2\nCrawl-delay: x\nDisallow:\nUser-agent: *\nCrawl-delay: 9'
    expect(parseRobots(file).rulesFor('a').crawlDelayMs).toBe(5_000)
    expect(parseRobots(file).rulesFor('b').crawlDelayMs).toBe(9_000)
  })
})

describe('AI-use preferences', () => {
  it('are unknown without a statement', () => {
    const unknown = { search: 'unknown', aiInput: 'unknown', aiTrain: 'unknown', lines: [] }
    expect(rulesOf('Allow: /').contentSignals).toEqual(unknown)
    expect(rulesOf('Allow: /').contentUsage('/')).toEqual(unknown)
  })

  it('are read from Content-Signal lines, and the stricter one wins', () => {
    const line = (number: number, text: string) => ({ number, text })
    expect(
      rulesOf(
        'Content-Signal: search=yes, ai-train=no',
        'Content-signal: AI-Train=YES,ai-input=maybe,other=no',
      ).contentSignals,
    ).toEqual({
      search: 'allow',
      aiInput: 'unknown',
      aiTrain: 'disallow',
      lines: [
        line(2, 'Content-Signal: search=yes, ai-train=no'),
        line(3, 'Content-signal: AI-Train=YES,ai-input=maybe,other=no'),
      ],
    })
  })

  it('are read from the Content-Usage line with the longest path', () => {
    const rules = rulesOf(
      'Content-Usage: train-ai=n',
      'Content-Usage: /ai-ok/ train-ai=y;x=1, search=n',
      'Content-Usage: /*/both train-ai=y',
      'Content-Usage: /c/both train-ai=n',
    )
    expect(rules.contentUsage('https://a.test/x')).toMatchObject({ aiTrain: 'disallow', search: 'unknown' })
    expect(rules.contentUsage('https://a.test/ai-ok/x')).toMatchObject({
      aiTrain: 'allow',
      search: 'disallow',
      lines: [{ number: 3 }],
    })
    expect(rules.contentUsage('/c/both')).toMatchObject({ aiTrain: 'disallow', lines: [{}, {}] })
    expect(rules.contentUsage('/d/both')).toMatchObject({ aiTrain: 'allow' })
  })

  it('have no effect on fetching', () => {
    expect(rulesOf('Content-Usage: / train-ai=n', 'Content-Signal: search=no').judge('/')).toMatchObject({
      kind: 'no-rule',
    })
  })
})
