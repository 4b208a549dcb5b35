import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { CandidateUrl } from './candidate-url.ts'
import { DEFAULT_RULES } from './default-rules.ts'
import { parseRuleFile } from './rule-file.ts'

function verdict(rules: string, url: string) {
  return parseRuleFile(rules, 'rules.txt').judge(new CandidateUrl(url))
}

const EXAMPLE = `# pictures
-\\.gif$

>example.com
  -/private/
  +^https://
<
-^https:
+.
`

describe('a rule file: it', () => {
  it.each([
    ['http://h.example/a.gif', false, 'rules.txt:2 -\\.gif$'],
    ['https://example.com/private/', false, 'rules.txt:5 -/private/'],
    ['https://www.example.com/a', true, 'rules.txt:6 +^https://'],
    ['https://other.com/private/', false, 'rules.txt:8 -^https:'],
    ['https://notexample.com/private/', false, 'rules.txt:8 -^https:'],
    ['http://other.com/private/', true, 'rules.txt:9 +.'],
  ])('judges %s: %s by %s', (url, accepted, rule) =>
    expect(verdict(EXAMPLE, url)).toEqual({ accepted, rule }),
  )

  it('rejects what no rule matches, as Nutch does', () =>
    expect(verdict('-a', 'http://h.test/')).toEqual({
      accepted: false,
      rule: 'rules.txt: no line matches (end with +. to accept the rest)',
    }))
  it('reads files of every system', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `\ufeff# comment${end}${end}-a$ ${end}+.`
      expect(verdict(text, 'http://h.test/a').rule).toBe('rules.txt:3 -a$')
      expect(verdict(text, 'http://h.test/b').accepted).toBe(true)
    }
  })
  it('starts a new block where the last one was not ended', () =>
    expect(verdict('>a.test\n-.\n>b.test\n+.', 'http://b.test/').rule).toBe('rules.txt:4 +.'))
  it('knows hosts in their written form', () =>
    expect(verdict('>BÜCHER.example\n+.', 'http://xn--bcher-kva.example/').accepted).toBe(true))
})

describe('a bad rule file: it', () => {
  it.each([
    ['+.\n\nfoo', 'rules.txt:3: a rule starts with + or -'],
    ['+', "rules.txt:1: '+' has no pattern; write +. to match every URL"],
    ['+.\n<', "rules.txt:2: '<' ends a block"],
    ['>a.test\n< b', "rules.txt:2: '<' stands alone"],
    ['>', "rules.txt:1: '' is not a host name"],
    ['>http://a.test/', "rules.txt:1: 'http://a.test/' is not a host name"],
    ['-[a', 'rules.txt:1: error parsing regexp: missing closing ]'],
    ['-(?!a)b', 'rules.txt:1: look-around'],
    ['-(?<=a)b', 'rules.txt:1: look-around'],
    ['-.*(/[^/]+)/[^/]+\\1/[^/]+\\1/', 'rules.txt:1: back-references'],
    ['-a++', 'rules.txt:1: possessive'],
  ])('is refused at start: %j', (rules, message) => {
    expect(() => parseRuleFile(rules, 'rules.txt')).toThrow(ConfigurationError)
    expect(() => parseRuleFile(rules, 'rules.txt')).toThrow(message)
  })
})

describe('the default rules: it', () => {
  it.each([
    ['http://h.example/', true],
    ['http://h.example/a?b=c&d=e', true],
    ['http://h.example/@user/!important=1', true],
    ['http://h.example/paper.pdf', true],
    ['http://h.example/A.JPG', false],
    ['http://h.example/a.jpeg?w=100', false],
    ['http://h.example/jpg', true],
    ['http://h.example/app.js', false],
    ['http://h.example/page.jsp', true],
    ['http://h.example/sitemap1.xml.gz', true],
    ['http://h.example/dump.gz', false],
    ['http://brand.zip/', true],
    ['http://h.example/post?replytocom=7', false],
    ['http://h.example/shop?a=1&add-to-cart=7', false],
  ])('judges %s: %s', (url, accepted) => expect(verdict(DEFAULT_RULES, url).accepted).toBe(accepted))
})
