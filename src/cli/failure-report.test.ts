import { expect, it } from 'vitest'
import { nothingFetchedText } from './failure-report.ts'

it.each([
  ['dns-not-found', 'Check the spelling of the host name.'],
  ['network-dns-not-found', 'Check the spelling of the host name.'],
  ['connect-timeout', 'Check the network'],
  ['tls', '--insecure-host'],
  ['HTTP 429', '--delay'],
  ['http-403', '--contact'],
  ['HTTP 503 for robots.txt', 'run the command again later'],
  ['robots.txt disallows', 'shows the rule'],
  ['redirect not followed (scope)', '--scope domain'],
  ['address', '--allow-host'],
  ['something else', 'orbweaver check'],
])('has a remedy for %s', (kind, remedy) => {
  const text = nothingFetchedText([{ kind, count: 1, url: 'http://a.test/', reason: 'why\nnot' }])
  expect(text).toContain(`1 request failed: 1 ${kind}. Example: http://a.test/: why not. `)
  expect(text).toContain(remedy)
  expect(text).not.toContain('\n')
})

it('names the five most frequent kinds', () => {
  const failures = Array.from({ length: 7 }, (_, i) => ({
    ...{ kind: `kind ${i}`, count: 7 - i, url: `http://a.test/${i}`, reason: 'why' },
  }))
  expect(nothingFetchedText(failures)).toContain(
    '28 requests failed: 7 kind 0, 6 kind 1, 5 kind 2, 4 kind 3, 3 kind 4, 2 more kinds. Example: http://a.test/0: why.',
  )
})
