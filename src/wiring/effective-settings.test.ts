import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { effectiveSettings } from './effective-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-settings-'))
const file = join(folder, 'orbweaver.config.json')
writeFileSync(file, JSON.stringify({ agent: { name: 'mybot', email: 'a@b.test' }, schedule: 'adaptive' }))
afterAll(() => rmSync(folder, { recursive: true }))

it('tells the value of every setting, and where it comes from', async () => {
  const env = { ORBWEAVER_EMAIL: 'c@d.test' }
  const settings = new Map(
    (await effectiveSettings({ currentDirectory: folder, env })).map((setting) => [setting.key, setting]),
  )
  expect(settings.get('agent.name')).toEqual({ key: 'agent.name', value: 'mybot', source: file })
  expect(settings.get('agent.email')).toEqual({
    key: 'agent.email',
    value: 'c@d.test',
    source: 'ORBWEAVER_EMAIL',
  })
  expect(settings.get('agent.contactUrl')).toEqual({ key: 'agent.contactUrl', source: 'default' })
  expect(settings.get('politeness.delaySeconds')).toMatchObject({ source: 'default' })
  expect(settings.get('schedule.syncRate')).toEqual({ key: 'schedule.syncRate', value: 0.3, source: file })
})
