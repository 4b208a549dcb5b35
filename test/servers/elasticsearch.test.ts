import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe } from 'vitest'
import { putImmense } from '../../testing/index-documents.ts'
import { indexWriterContract } from '../../testing/index-writer-contract.ts'
import { openElasticIndex } from '../../testing/search-servers/elastic-index.ts'
import { type ElasticServer, startElastic } from '../../testing/search-servers/elastic-server.ts'
import { findSearchServer } from '../../testing/search-servers/installed-server.ts'
import { serverSearchContract } from '../../testing/search-servers/server-search-contract.ts'

const installed = findSearchServer('Elasticsearch')

/** Our mapping without the filters of the module `analysis-common`, which this distribution lacks. */
const MAPPING = JSON.parse(
  readFileSync(
    new URL('../../schemas/elasticsearch/orbweaver-index.json', import.meta.url),
    'utf8',
  ).replaceAll(/, "(?:cjk_bigram|asciifolding)"|"cjk_width", /g, ''),
) as object

describe.skipIf(!installed.ok)(`Elasticsearch ${installed.version}`, () => {
  let server: ElasticServer
  beforeAll(async () => {
    if (installed.ok) server = await startElastic('Elasticsearch', installed)
  }, 300_000)
  afterAll(() => server?.stop())

  const open = () => openElasticIndex('elastic', server.origin, { mapping: MAPPING })
  indexWriterContract('ElasticWriter', open, { refused: putImmense('http://refused.test/') })
  serverSearchContract(
    async () => {
      const index = await open()
      return { ...index, target: `elastic:${index.url}` }
    },
    { isPlain: true },
  )
})
