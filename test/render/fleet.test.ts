import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { ARTICLES, appSite } from '../../testing/javascript-sites/app-site.ts'
import type { RedisServer } from '../../testing/redis-server.ts'
import { useRedis } from '../../testing/use-redis.ts'
import { runOrbweaver } from '../run-orbweaver.ts'
import { it, JavaScriptWeb } from './javascript-web.ts'

let server: RedisServer
let folder: string
const webs: JavaScriptWeb[] = []

useRedis((started) => {
  ;({ server } = started)
})
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-render-fleet-'))
  for (const address of ['127.0.0.61', '127.0.0.62']) webs.push(await JavaScriptWeb.start(appSite, address))
})
afterAll(async () => {
  for (const web of webs) await web.close()
  rmSync(folder, { recursive: true })
})

it('renders an app on two hosts with two workers, politely, each page once', async () => {
  const file = join(folder, 'app.ts')
  const start = webs.map(({ origin }) => `${origin}/`)
  writeFileSync(
    file,
    `import { spider } from 'orbweaver'
export default spider({
  name: 'app',
  start: ${JSON.stringify(start)},
  settings: { politeness: { delaySeconds: 0.1 }, agent: { email: 'test@example.org' } },
  *parse(page) {
    yield page.item({ url: page.url, title: page.text('title'), isRendered: page.isRendered })
    yield* page.followAll('a')
  },
})
`,
  )
  const args = ['run', file, '--redis', server.address, '--render', 'auto']
  const runs = await Promise.all([runOrbweaver(args), runOrbweaver(args)])
  for (const { exitCode, stderr } of runs) expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  const { stdout } = await runOrbweaver(['items', 'app', '--redis', server.address, '--out', '-'])
  const items = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { url: string; title: string; isRendered: boolean })
  for (const web of webs) {
    const ofHost = items.filter(({ url }) => url.startsWith(web.origin))
    expect(ofHost.map(({ title }) => title).sort()).toEqual(['About', 'Articles', ...ARTICLES].sort())
    expect(ofHost.filter(({ isRendered }) => isRendered)).toHaveLength(6)
    // Each worker has its own cache of scripts and stylesheets.
    expect(web.violations(100).filter((text) => !text.startsWith('assets: '))).toEqual([])
    expect(web.paths.filter((path) => path === '/assets/app.js').length).toBeLessThanOrEqual(2)
  }
})
