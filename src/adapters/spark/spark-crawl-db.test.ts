import { afterAll, beforeAll, describe } from 'vitest'
import { crawlDbContract } from '../../../testing/crawl-db-contract.ts'
import { crawlDbReaderContract } from '../../../testing/crawl-db-reader-contract.ts'
import { indexLedgerContract } from '../../../testing/index-ledger-contract.ts'
import { linkDbContract } from '../../../testing/link-db-contract.ts'
import { findSpark } from '../../../testing/spark.ts'
import { openWithSpark, startTestSpark } from '../../../testing/spark-stores.ts'
import type { SparkSession } from './spark-session.ts'

describe.skipIf(!findSpark().ok)('on two executors', { timeout: 600_000 }, () => {
  let session: SparkSession
  beforeAll(async () => {
    session = await startTestSpark()
  }, 600_000)
  afterAll(() => session?.close())

  const open = openWithSpark(() => session)
  crawlDbContract('SparkCrawlDb', open)
  linkDbContract('SparkCrawlDb', open)
  crawlDbReaderContract('SparkCrawlDbReader', open)
  indexLedgerContract('SparkIndexLedger', open)
})
