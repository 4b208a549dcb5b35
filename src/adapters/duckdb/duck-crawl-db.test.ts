import { crawlDbContract } from '../../../testing/crawl-db-contract.ts'
import { crawlDbReaderContract } from '../../../testing/crawl-db-reader-contract.ts'
import { openWithDuckDb } from '../../../testing/crawl-directory.ts'
import { indexLedgerContract } from '../../../testing/index-ledger-contract.ts'
import { linkDbContract } from '../../../testing/link-db-contract.ts'

crawlDbContract('DuckDB', openWithDuckDb)
crawlDbReaderContract('DuckDB', openWithDuckDb)
linkDbContract('DuckDB', openWithDuckDb)
indexLedgerContract('DuckDB', openWithDuckDb)
