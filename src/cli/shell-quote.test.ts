import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { quotedWords, shellQuote } from './shell-quote.ts'

const WORDS = [
  'plain',
  '--delay',
  '1.5',
  'https://a.test/?a=1&b=2',
  'two words',
  "it's",
  '"q"',
  '$HOME',
  '`x`',
  '*',
  'a\nb',
  '!',
]

it('is read by a shell as the same words', () => {
  const command = quotedWords(['printf', '%s\\0', ...WORDS], 'linux')
  const output = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' })
  expect(output.split('\0').slice(0, -1)).toEqual(WORDS)
})

it('leaves words without special characters as they are', () => {
  expect(quotedWords(['orbweaver', 'crawl', 'my-crawl', '--scope', 'domain'], 'linux')).toBe(
    'orbweaver crawl my-crawl --scope domain',
  )
})

it.each([
  ['C:\\crawls\\a', 'C:\\crawls\\a'],
  ['C:\\my crawls\\', '"C:\\my crawls\\\\"'],
  ['say "hi"', '"say \\"hi\\""'],
  ["it's", `"it's"`],
])('quotes %s for Windows', (word, quoted) => {
  expect(shellQuote(word, 'win32')).toBe(quoted)
})
