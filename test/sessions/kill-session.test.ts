import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LoginSite } from '../../testing/login-site.ts'
import { FleetWorker } from '../fleet/fleet-worker.ts'

let site: LoginSite
let folder: string

beforeEach(async () => {
  site = await LoginSite.start({ pages: 20 })
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-kill-session-'))
})
afterEach(async () => {
  await site.close()
  rmSync(folder, { recursive: true })
})

it.each([[], ['--isolated']])('keeps its login over kill -9 (%j)', async (...flags) => {
  const source = pathToFileURL(join(import.meta.dirname, '../../src/wiring/define-spider.ts')).href
  const file = join(folder, 'pages.ts')
  writeFileSync(
    file,
    `import { spider } from '${source}'
export default spider({
  name: 'pages',
  start: ['${site.origin}/'],
  settings: { agent: { email: 'a@b.test' }, politeness: { delaySeconds: 0.05 } },
  sessions: {
    expired: (page) => page.header('location') === '/login',
    async login(session) {
      const form = await session.fetch('${site.origin}/login')
      await session.fetch(form.submit('form', { user: 'me', password: 'right' }))
    },
  },
  *parse(page) {
    yield page.item({ url: page.url, session: page.session ?? 'none' })
    yield* page.followAll('a', { session: 'same' })
  },
})
`,
  )
  const args = ['run', file, '--dir', join(folder, 'crawl'), ...flags]
  const killed = new FleetWorker(args)
  while (site.sent.length < 8) await new Promise((resolve) => setTimeout(resolve, 10))
  await killed.kill()
  const { exitCode } = await new FleetWorker(args).ended
  expect(exitCode).toBe(0)
  expect(new Set(site.sent).size).toBe(20)
  expect(site.logins.size).toBe(1)
  expect(site.judge.violations({ minGapMs: 50, maxRepeats: 40 })).toEqual([])
})
