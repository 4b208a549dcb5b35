import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { spiderSettings } from './spider-settings.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-settings-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

it('has its own defaults: no rule by file name, and short parking', async () => {
  const settings = await spiderSettings({ settings: undefined, own: undefined, dir: join(folder, 'none') })
  expect(settings.filters.rules).toEqual(['+.'])
  expect(settings.politeness.parkSeconds).toBe(300)
})

it('prefers the caller over the environment, the spider and the file, in this order', async () => {
  const config = join(folder, 'own.json')
  const agent = { name: 'file', email: 'file@a.test', contactUrl: 'http://file.test/' }
  writeFileSync(config, JSON.stringify({ agent, politeness: { parkSeconds: 1 } }))
  vi.stubEnv('ORBWEAVER_AGENT', 'environment')
  vi.stubEnv('ORBWEAVER_EMAIL', 'environment@a.test')
  try {
    const settings = await spiderSettings({
      settings: { agent: { name: 'caller' } },
      own: { agent: { name: 'spider', email: 'spider@a.test', contactUrl: 'http://spider.test/' } },
      dir: join(folder, 'none'),
      config,
    })
    expect(settings).toMatchObject({
      agent: { name: 'caller', email: 'environment@a.test', contactUrl: 'http://spider.test/' },
      politeness: { parkSeconds: 1 },
    })
  } finally {
    vi.unstubAllEnvs()
  }
})
