import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareSite } from '../testing/real-web/compare-site.ts'
import { crawlFacts } from '../testing/real-web/crawl-facts.ts'
import { requireSite, SMALL_REAL_SITES } from '../testing/real-web/real-sites.ts'
import { requireNginx, type ServedSites, serveRealSites } from '../testing/real-web/serve-real-sites.ts'
import { runOrbweaver } from './run-orbweaver.ts'

const isInstalled = requireNginx() && SMALL_REAL_SITES.every(requireSite)
if (!isInstalled) {
  const packages = SMALL_REAL_SITES.flatMap((site) => site.packages)
  process.stderr.write(`test/real-web needs Debian packages: nginx-light ${packages.join(' ')}; skipped\n`)
}

describe.skipIf(!isInstalled)('a crawl of real documentation sites', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-real-'))
  const directory = join(folder, 'crawl')
  let served: ServedSites

  beforeAll(async () => {
    served = await serveRealSites(SMALL_REAL_SITES)
    const crawl = ['crawl', directory, ...served.seeds, '--email', 'test@example.org']
    const run = await runOrbweaver([...crawl, '--delay', '0', '--threads-per-host', '8'])
    expect(run).toMatchObject({ exitCode: 0 })
  })

  afterAll(async () => {
    await served?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(SMALL_REAL_SITES.map(({ name }, i) => [name, i] as const))(
    'fetches every page of %s, or records why not',
    async (_, i) => {
      const comparison = await compareSite(served.seeds[i] ?? '', directory)
      expect(comparison.notFetched.filter(({ recorded }) => !recorded)).toEqual([])
      expect(comparison.notListed).toEqual([])
      expect(comparison.fetched).toBeGreaterThan(30)
    },
  )

  it('decodes every page with its charset', async () => {
    expect((await crawlFacts(directory)).charsetFaults).toEqual([])
  })
})
