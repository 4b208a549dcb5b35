import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { CandidateUrl } from './candidate-url.ts'
import { parseSuffixFile, suffixFilter } from './suffix-filter.ts'

function accepts(file: string, tail: string): boolean {
  return parseSuffixFile(file, 'suffixes.txt').judge(new CandidateUrl(`http://h.example${tail}`)).accepted
}

describe("Nutch's suffix file: it", () => {
  it.each([
    ['+\n.js\n.gif', '/x.js', false],
    ['+\n.js', '/x.JS', true],
    ['+\n.js', '/x.html', true],
    ['+\n.js', '/x.js?foo=bar', true],
    ['+\n.js', '/x.html?q=abc.js', false],
    ['+P\n.js', '/x.js?foo=bar', false],
    ['+P\n.js', '/x.html?q=abc.js', true],
    ['+I\n.Js', '/x.jS', false],
    ['+IP\n.js', '/x.JS?a', false],
    ['+PI\n.js', '/x.JS?a', false],
    ['-\n.html', '/x.html', true],
    ['-\n.html', '/x.js', false],
    ['\ufeff# comment\r\n+\r\n.js\r\n', '/x.js', false],
  ])('with %j accepts %s: %s', (file, tail, accepted) => expect(accepts(file, tail)).toBe(accepted))

  it.each([
    ['.js', 'suffixes.txt: add a line +'],
    ['+\n.js\n+X', "suffixes.txt:3: '+X' is not a mode"],
  ])('is refused at start: %j', (file, message) => {
    expect(() => parseSuffixFile(file, 'suffixes.txt')).toThrow(ConfigurationError)
    expect(() => parseSuffixFile(file, 'suffixes.txt')).toThrow(message)
  })
})

it('names the suffix that decided', () => {
  const filter = suffixFilter({ suffixes: ['.tar.gz', '.zip'] })
  expect(filter.judge(new CandidateUrl('http://h.example/a.tar.gz'))).toEqual({
    accepted: false,
    rule: 'suffix: .tar.gz',
  })
  expect(filter.judge(new CandidateUrl('http://h.example/a'))).toEqual({
    accepted: true,
    rule: 'suffix: none matches',
  })
})

it('refuses an empty suffix', () =>
  expect(() => suffixFilter({ suffixes: [''] })).toThrow(ConfigurationError))
