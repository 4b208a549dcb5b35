import { expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { parseStreamTarget } from './stream-target.ts'

it('reads a stream with its options', () => {
  const text = 'redis-stream:redis://ann:secret@host:6379/2?stream=pages&maxLength=1000&batchSize=5'
  expect(parseStreamTarget(text)).toEqual({
    name: 'redis-stream:redis://host:6379/2?stream=pages',
    address: 'redis://ann:secret@host:6379/2',
    stream: 'pages',
    maxLength: 1_000,
    batchSize: 5,
  })
})

it('leaves other targets alone', () => {
  expect(parseStreamTarget('solr:http://host/solr/pages')).toBeUndefined()
})

it.each([
  ['redis-stream:redis://host:6379/0', 'name of a stream'],
  ['redis-stream:redis://host:6379/0?stream=', 'name of a stream'],
  ['redis-stream:redis://host:6379/0?stream=a b', 'name of a stream'],
  ['redis-stream:redis://host:6379/0?stream=a&maxLength=0', 'maxLength must be'],
  ['redis-stream:redis://host:6379/0?stream=a&max=1', 'no option "max"'],
  ['redis-stream:http://host', 'is not a Redis address'],
])('rejects %s', (text, message) => {
  expect(() => parseStreamTarget(text)).toThrow(ConfigurationError)
  expect(() => parseStreamTarget(text)).toThrow(message)
})

it('never shows a password', () => {
  expect(() => parseStreamTarget('redis-stream:redis://ann:secret@host:6379/0?x=1')).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret') }),
  )
})
