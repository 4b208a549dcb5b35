import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { withoutUndefined } from '../src/base/without-undefined.ts'
import { SEGMENT_COLUMNS } from '../src/domain/segment/segment-columns.ts'
import type { FetchListEntry, PageRecord } from '../src/domain/segment/segment-rows.ts'
import { connectToMemory } from './memory-database.ts'

/** Writes a segment with a fetch list and nothing else, as generate does: one part for each list. */
export async function writeSegment(
  crawl: string,
  name: string,
  ...lists: ReadonlyArray<readonly FetchListEntry[]>
): Promise<void> {
  const path = join(crawl, 'segments', name, 'crawl_generate')
  await mkdir(path, { recursive: true })
  const connection = await connectToMemory()
  for (const [part, entries] of lists.entries()) {
    const rows = entries.map(({ url, sortValue, score, validators, signature, metadata }) => ({
      url,
      sort_value: sortValue,
      score,
      etag: validators?.etag,
      last_modified: validators?.lastModified,
      signature,
      metadata: JSON.stringify(metadata),
      host: new URL(url).hostname,
    }))
    const { fp: _, ...columns } = SEGMENT_COLUMNS.crawl_generate
    await connection.run(
      `COPY (
        SELECT * EXCLUDE (host), md5_number_upper(url) AS fp, host
        FROM (SELECT e.* FROM (SELECT unnest(from_json($1, $2)) AS e)) ORDER BY sort_value DESC
      ) TO '${join(path, `part-0000${part}.parquet`)}' (FORMAT parquet, COMPRESSION zstd)`.replace(
        '$2',
        `'[${JSON.stringify(columns)}]'`,
      ),
      [JSON.stringify(rows)],
    )
  }
  connection.disconnectSync()
}

/** An entry of a fetch list, ranked by its score. */
export function listEntry(url: string, score = 1): FetchListEntry {
  return { url, sortValue: score, score, metadata: {} }
}

/** A page that was fetched and read, with one link. */
export function fetchedPage(url: string, text = `text of ${url}`, fetchedAt = 1_800_000_000_000): PageRecord {
  const body = new TextEncoder().encode(`<title>${url}</title>${text}`)
  return {
    fetch: {
      url,
      status: 'fetch_success',
      protocolStatus: 'SUCCESS',
      fetchedAt,
      httpStatus: 200,
      address: '127.0.0.1',
      protocol: 'http/1.1',
      responseMs: 12.5,
      wireBytes: body.byteLength,
      bytes: body.byteLength,
      contentType: 'text/html',
      signature: '00ff',
      scoreGiven: 0.5,
    },
    content: {
      url,
      fetchedAt,
      httpStatus: 200,
      headers: [
        ['content-type', 'text/html; charset=utf-8'],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ],
      requestHeaders: [['user-agent', 'orbweaver']],
      address: '127.0.0.1',
      protocol: 'http/1.1',
      body,
    },
    parseText: { url, text },
    parseData: {
      url,
      status: 'parsed',
      title: `title of ${url}`,
      contentType: 'text/html',
      noindex: false,
      nofollow: false,
      directives: '{}',
      signature: '00ff',
      outlinks: [`${url}#next`],
      anchors: ['next'],
      metadata: {},
    },
    links: [{ fromUrl: url, url: `${url}/next`, kind: 'link', score: 0.5, depth: 1 }],
  }
}

/** The same page as a fetch without parsing leaves it. */
export function unparsedPage(url: string): PageRecord {
  const { fetch, content } = fetchedPage(url)
  const { signature: _signature, scoreGiven: _scoreGiven, ...unread } = fetch
  return { fetch: unread, ...withoutUndefined({ content }) }
}
