import { afterEach, describe, expect, it } from 'vitest'
import {
  type ElasticDouble,
  type ElasticDoubleOptions,
  startElasticDouble,
} from '../../../testing/elastic-double.ts'
import { put, putImmense, remove } from '../../../testing/index-documents.ts'
import type { StoredDocument } from '../../../testing/index-writer-contract.ts'
import { InstantClock } from '../../../testing/instant-clock.ts'
import { storedFields } from '../../../testing/stored-fields.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { type IndexChange, IndexUnavailable, type IndexWriter } from '../../domain/indexing/index-writer.ts'
import { elasticId } from './elastic-writer.ts'
import { openIndexWriter } from './open-index-writer.ts'

async function stored(url: string): Promise<StoredDocument[]> {
  const response = await fetch(`${url}/_search?size=10000`)
  // Before the first write there is no index.
  const { hits } = (await response.json()) as { hits?: { hits: Array<{ _source: Record<string, unknown> }> } }
  return (hits?.hits ?? []).map(({ _source }) => storedFields(_source))
}

describe('ElasticWriter', () => {
  let double: ElasticDouble
  let writer: IndexWriter
  let clock: InstantClock
  const open = async (options: ElasticDoubleOptions = {}, parameters = '') => {
    clock = new InstantClock()
    double = await startElasticDouble(options)
    writer = await openIndexWriter(`elastic:${double.origin}/pages${parameters}`, { clock, environment: {} })
  }
  afterEach(async () => {
    await writer.close()
    await double.close()
  })
  const ids = async () => (await stored(`${double.origin}/pages`)).map(({ id }) => id).sort()
  const written = async (...changes: IndexChange[]) => {
    const refused = await writer.write(changes)
    await writer.commit()
    return refused
  }
  const requests = () =>
    double.requests.map(({ method, target }) => `${method} ${target.replace(/\?.*/, '')}`)

  it('creates the index with our mapping, once', async () => {
    await open()
    await writer.write([put('a')])
    await writer.write([put('b')])
    expect(requests()).toEqual(['HEAD /pages', 'PUT /pages', 'POST /pages/_bulk', 'POST /pages/_bulk'])
    expect(double.mappingOf('pages')).toMatchObject({
      properties: { content: { type: 'text', analyzer: 'text' } },
    })
  })

  it('accepts an index that another process created meanwhile, or a response lost in creating it', async () => {
    await open()
    double.faults.push({ kind: 'drop before' }, { kind: 'response', status: 404 }, { kind: 'drop after' })
    expect(await written(put('a'))).toEqual([])
    expect(requests().filter((request) => request.startsWith('PUT'))).toHaveLength(2)
  })

  it('does not create an index that it must not', async () => {
    await open({}, '?createIndex=no')
    await expect(writer.write([put('a')])).rejects.toThrow(ConfigurationError)
    expect(requests()).toEqual(['HEAD /pages'])
  })

  it('shows nothing before the commit', async () => {
    await open()
    await writer.write([put('a')])
    expect(await ids()).toEqual([])
    await writer.commit()
    expect(await ids()).toEqual(['a'])
  })

  it('sends again what the server had no time for, and nothing else', async () => {
    await open()
    const busy = { status: 429, type: 'es_rejected_execution_exception' }
    double.itemFaults.set('b', [busy, { status: 503, type: 'unavailable_shards_exception' }])
    double.itemFaults.set('c', [{ status: 409, type: 'version_conflict_engine_exception' }])
    expect(await written(put('a'), put('b'), remove('c'), put('d'))).toEqual([])
    const bulks = double.requests.filter(({ target }) => target.includes('_bulk'))
    expect(
      bulks.map(({ body }) => Array.from(body.matchAll(/"_id":"(.)"/g), ([, id]) => id).join('')),
    ).toEqual([...['abcd', 'bc', 'b']])
    expect(clock.waitsMs).toEqual([500, 1_000])
    expect(await ids()).toEqual(['a', 'b', 'd'])
  })

  it('gives up on what the server never has time for', async () => {
    await open()
    double.itemFaults.set('b', Array(9).fill({ status: 429, type: 'es_rejected_execution_exception' }))
    const end = writer.write([put('a'), put('b')])
    await expect(end).rejects.toThrow(IndexUnavailable)
    await expect(end).rejects.toThrow('it has no time for 1 of 1 changes')
  })

  it('reports what was refused before the others were taken', async () => {
    await open()
    double.itemFaults.set('b', [{ status: 429, type: 'es_rejected_execution_exception' }])
    const refused = await written(put('a'), put('b'), putImmense('c'))
    expect(refused).toMatchObject([
      { id: 'c', reason: expect.stringContaining('immense term in field="lang"') },
    ])
    expect(await ids()).toEqual(['a', 'b'])
  })

  it.each([
    [403, 'cluster_block_exception'],
    [404, 'index_not_found_exception'],
  ])('does not blame a document for a %d', async (status, type) => {
    await open()
    double.itemFaults.set('a', [{ status, type }])
    await expect(writer.write([put('a')])).rejects.toThrow(ConfigurationError)
  })

  it('writes once more what was perhaps written, and has it once', async () => {
    await open()
    await writer.write([])
    double.faults.push({ kind: 'drop after' }, { kind: 'response', status: 429 }, { kind: 'drop before' })
    expect(await written(put('a'), remove('b'))).toEqual([])
    expect(await ids()).toEqual(['a'])
  })

  it('halves what is too large, and refuses alone what is too large by itself', async () => {
    await open({ maxBodyBytes: 3_000 })
    const large = put('c', { content: 'x'.repeat(4_000) })
    const refused = await written(put('a'), put('b'), large, put('d'))
    expect(refused).toEqual([{ id: 'c', reason: 'too large for this server' }])
    expect(await ids()).toEqual(['a', 'b', 'd'])
  })

  it('bounds its requests in changes and in bytes', async () => {
    await open({}, '?batchSize=2&maxRequestMegabytes=1')
    const large = { content: 'x'.repeat(700_000) }
    await written(put('a'), put('b'), put('c'), put('d', large), put('e', large))
    expect(requests().filter((request) => request.endsWith('_bulk'))).toHaveLength(3)
    expect(await ids()).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('keeps and deletes documents whose ids are too long for the engine', async () => {
    await open()
    const long = `http://a.test/${'ä'.repeat(260)}`
    expect(await written(put(long), put('b'))).toEqual([])
    expect(await ids()).toEqual(['b', long])
    await written(remove(long))
    expect(await ids()).toEqual(['b'])
  })

  it('does not take another program for an Elasticsearch', async () => {
    await open()
    await writer.write([])
    double.faults.push({ kind: 'response', status: 200 })
    await expect(writer.write([put('a')])).rejects.toThrow('this is not the response of an Elasticsearch')
  })
})

it('hashes an id past 512 bytes, and no other', () => {
  const most = 'x'.repeat(512)
  expect(elasticId(most)).toBe(most)
  expect(elasticId(`${most}y`)).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(elasticId(`${most}y`)).not.toBe(elasticId(`${most}z`))
})
