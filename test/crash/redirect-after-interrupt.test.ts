import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CommandProcess, runCommand } from './command-process.ts'
import { readCrawlState } from './crawl-state.ts'
import { startSmallWeb } from './small-web.ts'

it('does not follow a redirect to a page that the run before has fetched', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-crash-'))
  const web = await startSmallWeb(30)
  try {
    const dir = join(folder, 'crawl')
    const seeds = join(folder, 'seeds')
    // Best first: page 22, then page 5, which redirects to it.
    const lines = web.seedLines.filter((line) => /127\.0\.0\.1:\d+\/p\/(5|22)\t/.test(line))
    writeFileSync(seeds, lines.join('\n'))
    await runCommand(['inject', dir, seeds])
    await runCommand(['generate', dir])
    const first = new CommandProcess(['fetch', dir, '--delay', '2'])
    await web.nextRequestOf('')
    first.kill('SIGINT')
    expect(await first.ended).toMatchObject({ exitCode: 3 })
    expect(await runCommand(['fetch', dir, '--delay', '0'])).toMatchObject({ exitCode: 0 })
    expect(web.hitsOf('').map(({ url }) => new URL(url).pathname)).toEqual(['/p/22', '/p/5'])
    const { segments } = await readCrawlState(dir)
    expect(segments[0]?.rows).toHaveLength(2)
  } finally {
    await web.close()
    rmSync(folder, { recursive: true })
  }
})
