import { openIndexWriter } from '../../src/adapters/search-servers/open-index-writer.ts'
import { wallClock } from '../../src/base/clock.ts'
import type { OpenIndex, StoredDocument } from '../index-writer-contract.ts'
import { storedFields } from '../stored-fields.ts'

export interface ElasticIndexOptions {
  /** Created with it before the first write. @default the writer creates the index */
  readonly mapping?: object
}

let count = 0

/** An index of a name that no other test has; it is deleted when it is closed. */
export async function openElasticIndex(
  kind: 'elastic' | 'opensearch',
  origin: string,
  { mapping }: ElasticIndexOptions = {},
): Promise<OpenIndex & { readonly url: string }> {
  const url = `${origin}/orbweaver-test-${process.pid}-${count++}`
  if (mapping !== undefined) {
    const body = JSON.stringify(mapping)
    const created = await fetch(url, { method: 'PUT', headers: { 'content-type': 'application/json' }, body })
    if (!created.ok) throw new Error(`${url} cannot be created: ${await created.text()}`)
  }
  const open = () => openIndexWriter(`${kind}:${url}`, { clock: wallClock, environment: {} })
  return {
    url,
    writer: await open(),
    reopen: open,
    stored: () => stored(url),
    async close() {
      await fetch(url, { method: 'DELETE' })
    },
  }
}

async function stored(url: string): Promise<StoredDocument[]> {
  const response = await fetch(`${url}/_search?size=10000`)
  // Before the first write there is no index.
  const { hits } = (await response.json()) as { hits?: { hits: Array<{ _source: Record<string, unknown> }> } }
  return (hits?.hits ?? []).map(({ _source }) => storedFields(_source))
}
