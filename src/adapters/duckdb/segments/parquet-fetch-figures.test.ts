import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeSegmentPart } from '../../../../testing/segment-parts.ts'
import type { FetchRow } from '../../../domain/segment/segment-rows.ts'
import { ParquetFetchFigures } from './parquet-fetch-figures.ts'
import { ParquetSegments } from './parquet-segments.ts'

const START = 1_800_000_000_000
const HOUR = 3_600_000

let directory: string
let segments: ParquetSegments
let figures: ParquetFetchFigures

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'orbweaver-figures-'))
  segments = await ParquetSegments.open(directory, { threads: 1 })
  figures = await ParquetFetchFigures.open(directory, segments, 128)
})
afterEach(async () => {
  await figures.close()
  segments.close()
  rmSync(directory, { recursive: true })
})

function addFetches(segment: string, fetch: readonly Partial<FetchRow>[]): Promise<void> {
  return writeSegmentPart(join(directory, 'segments', segment), { fetch })
}

function fetchOf(url: string, fetchedAt: number, row: Partial<FetchRow> = {}): Partial<FetchRow> {
  return { url, status: 'fetch_success', protocolStatus: 'SUCCESS', fetchedAt, ...row }
}

describe('ParquetFetchFigures', () => {
  it('counts fetches over time, by how they ended', async () => {
    await addFetches('20270115080000', [
      fetchOf('http://a.test/1', START, { bytes: 100, responseMs: 10, contentType: 'text/html' }),
      fetchOf('http://a.test/2', START + 100, { bytes: 50, responseMs: 30, contentType: 'text/html' }),
      fetchOf('http://a.test/3', START + 5_000, { status: 'fetch_gone', responseMs: 20 }),
      fetchOf('http://a.test/4', START + 5_000, { status: 'fetch_redir_perm' }),
    ])
    await addFetches('20270115080000', [
      fetchOf('http://a.test/5', START + 10_000, { status: 'fetch_retry' }),
      fetchOf('http://a.test/6', START + 99_000, { status: 'not_reached' }),
    ])
    expect(await figures.history('all')).toEqual({
      ...{ from: START, to: START + 10_000, runs: 1, bucketMs: 1000 },
      buckets: [
        { at: START, fetched: 2, redirected: 0, gone: 0, failed: 0 },
        { at: START + 5_000, fetched: 0, redirected: 1, gone: 1, failed: 0 },
        { at: START + 10_000, fetched: 0, redirected: 0, gone: 0, failed: 1 },
      ],
      totals: {
        ...{ fetched: 2, redirected: 1, gone: 1, failed: 1, bytes: 150 },
        ...{ medianResponseMs: 20, slowResponseMs: expect.closeTo(29) },
      },
      types: [{ value: 'text/html', count: 2 }],
    })
  })

  it('tells runs apart by the time between them, and shows the last', async () => {
    await addFetches('20270115080000', [
      fetchOf('http://a.test/1', START),
      fetchOf('http://a.test/2', START + HOUR / 3),
    ])
    await addFetches('20270115120000', [fetchOf('http://a.test/1', START + 4 * HOUR + 500)])
    expect(await figures.history('latest')).toMatchObject({
      ...{ from: START + 4 * HOUR + 500, runs: 2, bucketMs: 1000, totals: { fetched: 1 } },
    })
    const all = await figures.history('all')
    expect(all).toMatchObject({ from: START, runs: 2, totals: { fetched: 3 } })
    expect((4 * HOUR) / all.bucketMs).toBeLessThanOrEqual(90)
  })

  it('has nothing to say about a crawl without fetches', async () => {
    const nothing = { fetched: 0, redirected: 0, gone: 0, failed: 0, bytes: 0 }
    expect(await figures.history('latest')).toEqual({
      ...{ runs: 0, bucketMs: 0, buckets: [], totals: nothing, types: [] },
    })
    expect(await figures.ofHost('a.test', 10)).toEqual({ totals: nothing, recent: [] })
  })

  it('knows the fetches of a host, newest first, whatever its port', async () => {
    await addFetches('20270115080000', [
      fetchOf('http://a.test/', START, { httpStatus: 200, responseMs: 5 }),
      fetchOf('https://a.test:8443/x', START + 1, { status: 'fetch_gone', reason: 'HTTP 404' }),
      fetchOf('http://xa.test/', START + 2),
      fetchOf('http://[::1]:80/', START + 3),
    ])
    const { totals, recent } = await figures.ofHost('a.test', 10)
    expect(totals).toMatchObject({ fetched: 1, gone: 1, medianResponseMs: 5 })
    expect(recent).toEqual([
      { url: 'https://a.test:8443/x', status: 'fetch_gone', fetchedAt: START + 1, reason: 'HTTP 404' },
      { url: 'http://a.test/', status: 'fetch_success', fetchedAt: START, httpStatus: 200, responseMs: 5 },
    ])
    expect((await figures.ofHost('a.test', 1)).recent).toHaveLength(1)
    expect((await figures.ofHost('[::1]', 1)).recent).toHaveLength(1)
    expect((await figures.ofHost(`' OR true --`, 1)).recent).toEqual([])
  })
})
