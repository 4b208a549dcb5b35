import { afterEach, describe, expect, it } from 'vitest'
import { put, putImmense, remove } from '../../../testing/index-documents.ts'
import type { StoredDocument } from '../../../testing/index-writer-contract.ts'
import { InstantClock } from '../../../testing/instant-clock.ts'
import { type SolrDouble, type SolrDoubleOptions, startSolrDouble } from '../../../testing/solr-double.ts'
import { storedFields } from '../../../testing/stored-fields.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { openIndexWriter } from './open-index-writer.ts'
import type { SolrWriter } from './solr-writer.ts'

async function stored(url: string): Promise<StoredDocument[]> {
  const result = await fetch(`${url}/select?q=*:*&rows=10000`)
  const { response } = (await result.json()) as { response: { docs: Record<string, unknown>[] } }
  return response.docs.map(storedFields)
}

describe('SolrWriter', () => {
  let double: SolrDouble
  let writer: SolrWriter
  let clock: InstantClock
  const open = async (options: SolrDoubleOptions = {}, parameters = '') => {
    clock = new InstantClock()
    double = await startSolrDouble(options)
    writer = (await openIndexWriter(`solr:${double.url}${parameters}`, {
      clock,
      environment: {},
    })) as SolrWriter
  }
  afterEach(async () => {
    await writer.close()
    await double.close()
  })
  const ids = async () => (await stored(double.url)).map(({ id }) => id).sort()
  const bodies = () => double.requests.map(({ body }) => body)

  it('shows nothing before the commit', async () => {
    await open()
    await writer.write([put('a')])
    expect(await ids()).toEqual([])
    await writer.commit()
    expect(await ids()).toEqual(['a'])
  })

  it('sends only adds, deletes and a commit', async () => {
    await open()
    await writer.write([put('a'), put('b'), remove('a')])
    await writer.commit()
    expect(double.requests.map(({ target }) => target)).toEqual(
      Array(3).fill('/solr/orbweaver/update?wt=json'),
    )
    expect(bodies()[0]).toBe('{"delete":["a"]}')
    expect(bodies()[1]).toMatch(/^\[\{"id":"b",[^\]]*\]$/)
    expect(bodies()[2]).toBe('{"commit":{"waitSearcher":true}}')
  })

  it('sends commitWithin with the time of the target', async () => {
    await open({}, '?commitWithinSeconds=30')
    await writer.write([put('a')])
    expect(double.requests[0]?.target).toBe('/solr/orbweaver/update?wt=json&commitWithin=30000')
  })

  it('bounds its requests in documents and in bytes', async () => {
    await open({ maxBodyBytes: 1024 * 1024 + 10 }, '?batchSize=3&maxRequestMegabytes=1')
    const large = { content: 'x'.repeat(700_000) }
    await writer.write([...['a', 'b', 'c', 'd'].map((id) => put(id)), put('e', large), put('f', large)])
    expect(double.requests).toHaveLength(3)
    await writer.commit()
    expect(await ids()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })

  it('finds the bad ones of a batch that was refused, in few requests', async () => {
    await open({ tolerant: false })
    const good = Array.from({ length: 64 }, (_, i) => `http://a.test/${i}`)
    const changes = good.map((id) => put(id))
    changes.splice(20, 0, putImmense('bad 1'))
    changes.splice(50, 0, putImmense('bad 2'))
    const refused = await writer.write(changes)
    expect(refused.map(({ id }) => id)).toEqual(['bad 1', 'bad 2'])
    expect(refused[0]?.reason).toContain('immense term in field="lang"')
    expect(double.requests.length).toBeLessThanOrEqual(2 * 2 * 7 + 1)
    await writer.commit()
    expect(await ids()).toEqual(good.sort())
  })

  it('refuses alone what is too large for the server', async () => {
    await open({ maxBodyBytes: 2_000 })
    const refused = await writer.write([put('a'), put('b', { content: 'x'.repeat(3_000) }), put('c')])
    expect(refused).toEqual([{ id: 'b', reason: 'too large for this server' }])
    await writer.commit()
    expect(await ids()).toEqual(['a', 'c'])
  })

  it('writes once more what was perhaps written, and has it once', async () => {
    await open()
    double.faults.push({ kind: 'drop after' }, { kind: 'response', status: 503 })
    expect(await writer.write([put('a'), put('b')])).toEqual([])
    double.faults.push({ kind: 'drop after' })
    await writer.commit()
    expect(await ids()).toEqual(['a', 'b'])
    expect(clock.waitsMs).toEqual([500, 1_000, 500])
  })

  it.each([true, false])(
    'blames the schema, not the documents, for a field it does not know (tolerant: %s)',
    async (tolerant) => {
      await open({ tolerant })
      const strange = put('a', { colour: 'red' } as object)
      await expect(writer.write([strange, put('b')])).rejects.toThrow(ConfigurationError)
      await expect(writer.write([strange])).rejects.toThrow('its schema has no field colour')
    },
  )

  it('says when there is no such core', async () => {
    await open()
    const lost = await openIndexWriter(`solr:${double.origin}/solr/lost`, { clock, environment: {} })
    await expect(lost.write([put('a')])).rejects.toThrow('there is no such core or collection. Create it')
    await expect(lost.commit()).rejects.toThrow(ConfigurationError)
    await lost.close()
  })
})
