import { describe } from 'vitest'
import { dedupContract } from './crawl-db/dedup-contract.ts'
import { generateContract } from './crawl-db/generate-contract.ts'
import { injectContract } from './crawl-db/inject-contract.ts'
import { releaseContract } from './crawl-db/release-contract.ts'
import { updateContract } from './crawl-db/update-contract.ts'
import type { OpenStores } from './crawl-directory.ts'

/** Contract tests of every CrawlDb. `open` may share one session of an engine among all tests: each opens a folder of its own. */
export function crawlDbContract(name: string, open: OpenStores): void {
  describe(`${name} as a CrawlDb`, () => {
    injectContract(open)
    generateContract(open)
    updateContract(open)
    dedupContract(open)
    releaseContract(open)
  })
}
