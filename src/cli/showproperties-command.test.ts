import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { command, commandJson } from '../../testing/command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-properties-'))
const config = join(folder, 'orbweaver.config.json')
writeFileSync(
  config,
  JSON.stringify({
    agent: { name: 'mybot' },
    http: {
      headers: { accept: 'text/html', 'x-key': 'secret-key' },
      proxy: 'http://me:secret-password@proxy.test:3128',
      credentials: { 'a.test': { bearer: 'secret-token' } },
    },
    redis: { password: 'secret-redis' },
  }),
)
afterAll(() => rmSync(folder, { recursive: true }))

it('shows settings and their sources without secrets', async () => {
  const { exitCode, stdout } = await command(['showproperties', '--config', config, '--changed'])
  expect(exitCode).toBe(0)
  expect(stdout).toContain(`agent.name        mybot`)
  expect(stdout).toContain(config)
  expect(stdout).not.toContain('secret')
  expect(stdout).toContain('text/html')
})

it('shows chosen sections as JSON', async () => {
  const settings = await commandJson<{ key: string; source: string }[]>([
    'showproperties',
    'agent',
    '--config',
    config,
  ])
  expect(settings.map(({ key }) => key)).toEqual(['agent.name', 'agent.contactUrl', 'agent.email'])
  expect(settings[0]).toEqual({ key: 'agent.name', value: 'mybot', source: config })
})

it.each([
  ['polite', 'did you mean politeness?'],
  ['politeness.thread', 'did you mean politeness.threads?'],
  ['zebra', 'run the command without keys to see all'],
])('rejects the unknown key %s', async (key, hint) => {
  const { exitCode, stderr } = await command(['showproperties', key])
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`there is no setting "${key}"; ${hint}`)
})
