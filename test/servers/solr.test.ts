import { afterAll, beforeAll, describe } from 'vitest'
import { putImmense } from '../../testing/index-documents.ts'
import { indexWriterContract } from '../../testing/index-writer-contract.ts'
import { findSearchServer } from '../../testing/search-servers/installed-server.ts'
import { serverSearchContract } from '../../testing/search-servers/server-search-contract.ts'
import { openSolrIndex } from '../../testing/search-servers/solr-index.ts'
import { type SolrServer, startSolr } from '../../testing/search-servers/solr-server.ts'

const REFUSED = { refused: putImmense('http://refused.test/') }
const installed = findSearchServer('Solr')

describe.skipIf(!installed.ok)(`Solr ${installed.version}`, () => {
  let solr: SolrServer
  beforeAll(async () => {
    if (installed.ok) solr = await startSolr(installed)
  }, 300_000)
  afterAll(() => solr?.stop())

  indexWriterContract('SolrWriter with our configset', () => openSolrIndex(solr.url), REFUSED)
  indexWriterContract('SolrWriter with a strict update chain', () => openSolrIndex(solr.strictUrl), REFUSED)
  serverSearchContract(async () => ({ ...(await openSolrIndex(solr.url)), target: `solr:${solr.url}` }))
})

/** A core that may be emptied: each test does. */
const OWN = process.env['ORBWEAVER_SOLR_URL']
if (OWN !== undefined) indexWriterContract(`SolrWriter on ${OWN}`, () => openSolrIndex(OWN), REFUSED)
