import { expect, it } from 'vitest'
import { withoutSecret } from './secret-flags.ts'

it.each([
  ['--scope', 'domain', 'domain'],
  ['--proxy', 'http://proxy.test:3128', 'http://proxy.test:3128'],
  ['--proxy', 'http://me:pw@proxy.test:3128', '…'],
  ['--redis', 'redis://:pw@h/0', '…'],
  ['--redis', 'redis+cluster://a,user:pw@b', '…'],
  ['--index-to', 'solr:https://u:p@s.test/solr', '…'],
  ['--header', 'Accept-Language: de', 'Accept-Language: de'],
  ['--header', 'Authorization: Bearer abc', 'Authorization: …'],
  ['--header', 'X-Whatever: abc', 'X-Whatever: …'],
  ['--arg', 'category=books', 'category=books'],
  ['--arg', 'apiToken=abc', 'apiToken=…'],
  ['--arg', 'feed=https://u:p@a.test/', 'feed=…'],
  ['--token', 'abc', '…'],
  ['--on-finish', 'https://hooks.test/T0/B0/x', '…'],
  ['--on-finish', './done.sh', './done.sh'],
  ['--email', 'me@a.test', 'me@a.test'],
])('of %s %s leaves %s', (flag, value, expected) => {
  expect(withoutSecret(flag, value)).toBe(expected)
})
