import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { parseIndexTarget, parseSearchTarget } from './index-target.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

it('reads a file', () => {
  expect(parseIndexTarget('jsonl:out/pages.jsonl', {})).toEqual({ kind: 'jsonl', file: 'out/pages.jsonl' })
  expect(parseIndexTarget('csv:C:\\pages.csv', {})).toEqual({ kind: 'csv', file: 'C:\\pages.csv' })
})

it('reads a server, with its options', () => {
  const text =
    'solr:https://ann:p%40ss%3A@s.test:8983/solr/pages/?batchSize=9&commitWithinSeconds=60&caFile=/etc/ca.pem&timeoutSeconds=5&maxRequestMegabytes=2'
  expect(parseIndexTarget(text, {})).toEqual({
    kind: 'solr',
    name: 'solr:https://s.test:8983/solr/pages',
    origin: 'https://s.test:8983',
    path: '/solr/pages',
    authorization: basic('ann:p@ss:'),
    options: {
      ...{ batchSize: 9, commitWithinMs: 60_000, caFile: '/etc/ca.pem', timeoutMs: 5_000 },
      maxBytes: 2 * 1024 * 1024,
    },
  })
  expect(parseIndexTarget('opensearch:http://s.test/behind/pages?createIndex=no', {})).toEqual({
    kind: 'opensearch',
    name: 'opensearch:http://s.test/behind/pages',
    origin: 'http://s.test',
    path: '/behind/pages',
    options: { createIndex: false },
  })
})

describe('the environment', () => {
  const authorization = (text: string, environment: Record<string, string>) => {
    const target = parseIndexTarget(text, environment)
    return 'authorization' in target ? target.authorization : undefined
  }

  it('has the user and the password where the target has none', () => {
    const environment = { ORBWEAVER_SOLR_USER: 'bob', ORBWEAVER_SOLR_PASSWORD: 's3' }
    expect(authorization('solr:http://s.test/solr/x', environment)).toBe(basic('bob:s3'))
    expect(authorization('solr:http://ann@s.test/solr/x', environment)).toBe(basic('ann:s3'))
    expect(authorization('solr:http://ann:p@s.test/solr/x', environment)).toBe(basic('ann:p'))
    expect(authorization('elastic:http://s.test/x', environment)).toBeUndefined()
  })

  it('has the API key of Elasticsearch', () => {
    const environment = { ORBWEAVER_ELASTIC_API_KEY: 'a2V5' }
    expect(authorization('elastic:http://s.test/x', environment)).toBe('ApiKey a2V5')
    expect(authorization('elastic:http://ann:p@s.test/x', environment)).toBe(basic('ann:p'))
    expect(authorization('opensearch:http://s.test/x', environment)).toBeUndefined()
  })
})

it.each([
  ['sqlite', 'it must be one of solr:https://host:8983/solr/core'],
  ['mysql:x', 'it must be one of solr:https://host:8983/solr/core'],
  ['jsonl:', 'as in jsonl:pages.jsonl'],
  ['solr:localhost:8983/solr/x', 'it must look like solr:https://host:8983/solr/core'],
  ['solr:ftp://s.test/solr/x', 'it must look like'],
  ['solr:https://s.test:8983/', 'the core or collection is missing'],
  ['solr:https://s.test:8983/solr/#/x/core-overview', 'what follows # is for a browser'],
  ['elastic:https://s.test:9200', 'the index is missing, as in elastic:https://host:9200/index'],
  ['elastic:https://s.test/x?commitWithinSeconds=5', 'there are batchSize, maxRequestMegabytes'],
  ['elastic:https://s.test/x?batchSize=0', 'batchSize must be a whole number from 1'],
  ['elastic:https://s.test/x?createIndex=true', 'createIndex must be yes or no'],
  ['elastic:https://secret@s.test/x', 'set ORBWEAVER_ELASTIC_PASSWORD'],
  ['elastic:https://ann:sec%ret@s.test/x', 'must be written %25'],
  ['elastic:https://:secret@s.test/x', 'set ORBWEAVER_ELASTIC_USER'],
  ['elastic:https://ann:se@cret/secret@s.test:9200/x', 'must be percent-encoded'],
])('refuses %s and says what to do, without the password', (text, advice) => {
  const read = () => parseIndexTarget(text, {})
  expect(read).toThrow(ConfigurationError)
  expect(read).toThrow(advice)
  expect(read).not.toThrow(/secret|sec%ret|cret/)
})

it.each([
  'foo:bar',
  'jsonl:pages.jsonl',
  'csv:pages.csv',
  'redis-stream:redis://host:6379/0?stream=x',
  'sqlite',
])('lists only servers for a search of %s', (text) => {
  const read = () => parseSearchTarget(text, {})
  expect(read).toThrow('it must be one of solr:https://host:8983/solr/core, elastic:')
  expect(read).toThrow('without --target')
  expect(read).not.toThrow(/FILE|stream=NAME/)
})
