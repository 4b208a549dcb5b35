import { describe, expect, it } from 'vitest'
import { CandidateUrl } from './candidate-url.ts'
import { parseFastFilter } from './fast-filter.ts'

const FILE = `# Windows line ends and indents are fine\r
Host www.example.com\r
  DenyPath ^/private/\r
Domain example.org
  DenyPathQuery [?&]print=1
  DenyPath \\.cgi$
Domain evil.example
  DenyPath .*
Domain .
  DenyPathQuery sessionid=
`
const filter = parseFastFilter(FILE, 'fast.txt')

it.each([
  ['http://www.example.com/private/x', 'fast.txt: Host www.example.com: DenyPath ^/private/'],
  ['http://example.com/private/x', undefined],
  ['http://example.org/?a=1&print=1', 'fast.txt: Domain example.org: DenyPathQuery [?&]print=1'],
  ['http://a.b.example.org/x.cgi?y', 'fast.txt: Domain example.org: DenyPath \\.cgi$'],
  ['http://a.evil.example/', 'fast.txt: Domain evil.example: DenyPath .*'],
  ['http://notevil.example/', undefined],
  ['http://any.test/?sessionid=1', 'fast.txt: Domain .: DenyPathQuery sessionid='],
  ['http://any.test/sessionid/', undefined],
])('judges %s by %s', (url, rule) =>
  expect(filter.judge(new CandidateUrl(url))).toEqual(rule && { accepted: false, rule }),
)

describe('rejects', () => {
  it.each([
    ['DenyPath x', 'f:1: DenyPath needs a Host or Domain line before it'],
    [
      'Host a\nAllow x',
      "f:2: expected Host <name>, Domain <name>, DenyPath <regex> or DenyPathQuery <regex>; found 'Allow x'",
    ],
    [
      'Host',
      "f:1: expected Host <name>, Domain <name>, DenyPath <regex> or DenyPathQuery <regex>; found 'Host'",
    ],
    ['Host a\nDenyPath (?=x)', 'f:2: look-around'],
  ])('%j', (text, message) => expect(() => parseFastFilter(text, 'f')).toThrow(message))
})

it('accepts all URLs without rules', () =>
  expect(parseFastFilter('', 'f').judge(new CandidateUrl('http://a.test/'))).toBeUndefined())
