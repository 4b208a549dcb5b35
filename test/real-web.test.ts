import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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

  it('exports main content as Markdown without navigation', async () => {
    const out = join(folder, 'pages.md')
    await runOrbweaver(['export', directory, '--format', 'markdown', '--out', out])
    const markdown = readFileSync(out, 'utf8')
    expect(markdown.match(/^url: /gm)?.length).toBeGreaterThan(1_000)
    const page = markdown.split('\n---\nurl: ').find((one) => one.includes('/lang_vacuum.html"'))
    expect(page).toContain('The VACUUM command rebuilds the database file')
    expect(page).not.toContain('Small. Fast. Reliable.')
  })

  it('exports chunks whose offsets fit and whose ids are unique', async () => {
    const out = join(folder, 'chunks.jsonl')
    await runOrbweaver(['export', directory, '--format', 'chunks', '--out', out])
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n')
    const chunks = lines.map(
      (line) => JSON.parse(line) as { id: string; start: number; end: number; text: string },
    )
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length)
    expect(chunks.every(({ start, end, text }) => end - start === text.length && text.length <= 2_000)).toBe(
      true,
    )
  })

  it('shows snippets of the main content', async () => {
    expect(await runOrbweaver(['index', directory])).toMatchObject({ exitCode: 0 })
    const { stdout } = await runOrbweaver(['search', directory, 'title:vacuum', '--json'])
    const { hits } = JSON.parse(stdout) as { hits: { snippet: { text: string }[] }[] }
    const snippet = hits[0]?.snippet.map(({ text }) => text).join('') ?? ''
    expect(snippet).toMatch(/vacuum/i)
    expect(snippet).not.toMatch(/Home\s+Menu\s+About/)
  })

  it('decodes every page with its charset', async () => {
    expect((await crawlFacts(directory)).charsetFaults).toEqual([])
  })
})
