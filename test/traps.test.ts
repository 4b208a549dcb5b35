import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crawledContent } from '../testing/trap-sites/crawled-content.ts'
import { requireDokuwiki, startDokuwiki } from '../testing/trap-sites/dokuwiki-site.ts'
import type { TrapSite } from '../testing/trap-sites/trap-site.ts'
import { runOrbweaver } from './run-orbweaver.ts'

const PAGES = 200
const isInstalled = requireDokuwiki()
if (!isInstalled) process.stderr.write('test/traps needs the Debian packages dokuwiki and php-cli; skipped\n')

describe.skipIf(!isInstalled)('a crawl of a wiki with the novelty budget', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-traps-'))
  const directory = join(folder, 'crawl')
  const config = join(folder, 'config.json')
  let wiki: TrapSite

  beforeAll(async () => {
    wiki = await startDokuwiki(PAGES, 4)
    writeFileSync(config, JSON.stringify({ agent: { email: 'test@example.org' }, novelty: true }))
    const crawl = [
      'crawl',
      directory,
      wiki.seed,
      '--config',
      config,
      '--delay',
      '0',
      '--threads-per-host',
      '8',
    ]
    expect(await runOrbweaver(crawl)).toMatchObject({ exitCode: 0 })
  })

  afterAll(async () => {
    await wiki?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  // Twice as many is the aim for 500 pages (`npm run bench -- traps`). With 200 it depends on whether a page or its export is fetched first: 392 to
  // 467 requests in 30 crawls.
  it('fetches the pages with few more than twice as many requests', async () => {
    const { requests, contentPages } = await crawledContent(directory, wiki)
    expect(contentPages).toBeGreaterThanOrEqual(0.95 * PAGES)
    expect(requests).toBeLessThanOrEqual(2.5 * PAGES)
  })

  it('shows what it held back', async () => {
    const { stdout } = await runOrbweaver(['readdb', directory, '--stats'])
    expect(stdout).toMatch(/held back +[\d,]+ URLs of \d+ patterns/)
    const { held } = JSON.parse((await runOrbweaver(['readdb', directory, '--json'])).stdout) as {
      held: Array<{ pattern: string; held: number }>
    }
    const pattern = held.find((one) => one.pattern.includes('do=edit&id=*'))?.pattern ?? ''
    expect(await runOrbweaver(['novelty', directory, '--release', pattern])).toMatchObject({
      exitCode: 0,
      stdout: '1 pattern changed\n',
    })
    expect((await runOrbweaver(['novelty', directory])).stdout).toContain(`${pattern}  (released)`)
  })
})
