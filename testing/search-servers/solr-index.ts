import { openIndexWriter } from '../../src/adapters/search-servers/open-index-writer.ts'
import { wallClock } from '../../src/base/clock.ts'
import type { OpenIndex, StoredDocument } from '../index-writer-contract.ts'
import { storedFields } from '../stored-fields.ts'

/** An emptied core. @param url of the core */
export async function openSolrIndex(url: string): Promise<OpenIndex> {
  const emptied = await fetch(`${url}/update?commit=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"delete":{"query":"*:*"}}',
  })
  if (!emptied.ok) throw new Error(`${url} cannot be emptied: ${await emptied.text()}`)
  const open = () => openIndexWriter(`solr:${url}`, { clock: wallClock, environment: {} })
  return { writer: await open(), reopen: open, stored: () => stored(url), close: async () => {} }
}

async function stored(url: string): Promise<StoredDocument[]> {
  const result = await fetch(`${url}/select?q=*:*&rows=10000&fl=*`)
  const { response } = (await result.json()) as { response: { docs: Record<string, unknown>[] } }
  return response.docs.map(storedFields)
}
