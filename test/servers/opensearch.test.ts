import { afterAll, beforeAll, describe } from 'vitest'
import { putImmense } from '../../testing/index-documents.ts'
import { indexWriterContract } from '../../testing/index-writer-contract.ts'
import { openElasticIndex } from '../../testing/search-servers/elastic-index.ts'
import { type ElasticServer, startElastic } from '../../testing/search-servers/elastic-server.ts'
import { findSearchServer } from '../../testing/search-servers/installed-server.ts'
import { serverSearchContract } from '../../testing/search-servers/server-search-contract.ts'

const REFUSED = { refused: putImmense('http://refused.test/') }
const installed = findSearchServer('OpenSearch')

describe.skipIf(!installed.ok)(`OpenSearch ${installed.version}`, () => {
  let server: ElasticServer
  beforeAll(async () => {
    if (installed.ok) server = await startElastic('OpenSearch', installed)
  }, 300_000)
  afterAll(() => server?.stop())

  indexWriterContract('ElasticWriter', () => openElasticIndex('opensearch', server.origin), REFUSED)
  serverSearchContract(async () => {
    const index = await openElasticIndex('opensearch', server.origin)
    return { ...index, target: `opensearch:${index.url}` }
  })
})

/** A server; each test has an index of its own there. */
const OWN = process.env['ORBWEAVER_ELASTIC_URL']
if (OWN !== undefined)
  indexWriterContract(`ElasticWriter on ${OWN}`, () => openElasticIndex('elastic', OWN), REFUSED)
