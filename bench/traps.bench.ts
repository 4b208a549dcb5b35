/** Requests that a crawl with the novelty budget needs for the content of real dynamic sites. Sizes: TRAP_PAGES (wiki), TRAP_COMMITS (gitweb). */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawledContent } from '../testing/trap-sites/crawled-content.ts'
import { requireDokuwiki, startDokuwiki } from '../testing/trap-sites/dokuwiki-site.ts'
import { requireGitweb, startGitweb } from '../testing/trap-sites/gitweb-site.ts'
import type { TrapSite } from '../testing/trap-sites/trap-site.ts'
import { measureProcess } from './measure-process.ts'
import { noRest, orbweaverCrawl } from './orbweaver-process.ts'
import { removeFolder } from './remove-folder.ts'

const PAGES = Number(process.env['TRAP_PAGES'] ?? 500)
const COMMITS = Number(process.env['TRAP_COMMITS'] ?? 300)
const IN_FLIGHT = 4

export async function run(): Promise<void> {
  console.log('| site | content pages | fetched | requests | per content page |')
  console.log('| --- | --- | --- | --- | --- |')
  if (requireDokuwiki()) await measure(await startDokuwiki(PAGES))
  else console.log('skipped dokuwiki: could not install it')
  if (requireGitweb()) await measure(await startGitweb(COMMITS))
  else console.log('skipped gitweb: could not install it')
}

async function measure(site: TrapSite): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-traps-'))
  const directory = join(folder, 'crawl')
  try {
    await measureProcess(
      orbweaverCrawl({
        ...{ seeds: [site.seed], directory, scope: 'host' },
        settings: { politeness: noRest(2 * IN_FLIGHT, IN_FLIGHT), novelty: true },
      }),
    )
    const { requests, contentPages } = await crawledContent(directory, site)
    const { size } = site.contentPages
    console.log(
      `| ${site.name} | ${size} | ${contentPages} | ${requests} | ${(requests / size).toFixed(2)} |`,
    )
  } finally {
    removeFolder(folder)
    await site.close()
  }
}
