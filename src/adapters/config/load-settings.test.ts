import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDefaultSchedule } from '../../domain/schedule/default-schedule.ts'
import type { FetchSchedule } from '../../domain/schedule/fetch-schedule.ts'
import type { OrbweaverConfig } from './config-schema.ts'
import { loadSettings, sourceForThreads } from './load-settings.ts'
import { settingsSource } from './settings-source.ts'

/** The text of each file, and the expected part of the settings or of the message. */
const FILES: Readonly<Record<string, { readonly text: string; readonly gives: unknown }>> = {
  'good.ts': {
    text: `interface Names { readonly bot: string }
const names: Names = { bot: 'typed' }
export default { agent: { name: names.bot }, filters: { rules: 'rules.txt' } }`,
    gives: { agent: { name: 'typed' }, filters: { rules: 'FOLDER/rules.txt' } },
  },
  'redis.json': {
    text: '{ "redis": { "url": "queue.test:6379", "caFile": "ca.pem", "keyFile": "/etc/key.pem", "idleSeconds": 5 } }',
    gives: {
      redis: {
        url: 'queue.test:6379',
        caFile: 'FOLDER/ca.pem',
        keyFile: '/etc/key.pem',
        idleSeconds: 5,
        leaseSeconds: 30,
        persist: true,
      },
    },
  },
  'good.mjs': { text: "export default { agent: { name: 'plain' } }", gives: { agent: { name: 'plain' } } },
  'good.json': { text: '\ufeff{ "memoryMb": 512 }', gives: { memoryMb: 512 } },
  'syntax.ts': {
    text: 'const a: number = 1\nexport default {\n  agent: {},,\n}',
    gives: 'FOLDER/syntax.ts:3: ',
  },
  'syntax.mjs': {
    text: 'const a = 1\nexport default {\n  agent: {},,\n}',
    gives: "FOLDER/syntax.mjs:3: Unexpected token ','",
  },
  'syntax.json': { text: '{\n  "agent": {},\n  nope\n}', gives: 'FOLDER/syntax.json:3: not JSON: ' },
  'word.json': {
    text: '{\n  "agent": { "name":\n    x\n  }\n}\n\n',
    gives: 'FOLDER/word.json:3: not JSON: ',
  },
  'word-alone.json': {
    text: 'x\n',
    gives: 'FOLDER/word-alone.json:1: not JSON: Unexpected token \'x\', "x " is not valid JSON',
  },
  'two.json': { text: '{}\n{}\n\n', gives: 'FOLDER/two.json:2: not JSON: ' },
  'cut-off.json': { text: '{\n  "agent": {', gives: 'FOLDER/cut-off.json:2: not JSON: ' },
  'enum.ts': {
    text: 'enum Bad { a }\nexport default {}',
    gives: 'FOLDER/enum.ts:1: TypeScript enum is not supported',
  },
  'throws.mts': { text: "type A = 1\n\nthrow new Error('no luck')", gives: 'FOLDER/throws.mts:3: no luck' },
  'import.mjs': {
    text: "import { defineConfig } from 'orbweaver'\nexport default defineConfig({})",
    gives: "FOLDER/import.mjs: Cannot find package 'orbweaver'",
  },
  'named.mjs': { text: 'export const config = {}', gives: 'FOLDER/named.mjs: no default export' },
  'unknown.json': {
    text: '{ "politeness": { "delay": 3 } }',
    gives: 'FOLDER/unknown.json: politeness.delay: unknown key; did you mean delaySeconds?',
  },
}

const PAGE = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
const EXAMPLES = Array.from(PAGE.matchAll(/```ts\n([\s\S]*?)```/g), ([, code = '']) =>
  code.replace("'orbweaver/config'", JSON.stringify(new URL('define-config.ts', import.meta.url).href)),
)

let folder: string
let results: Record<string, unknown>

// Loaded by Node, not by the loader of the test runner. One process for all files, because a start is slow.
beforeAll(() => {
  // With a space, which is escaped in a URL.
  folder = mkdtempSync(join(tmpdir(), 'orbweaver config-'))
  for (const [name, { text }] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  for (const [i, code] of EXAMPLES.entries()) writeFileSync(join(folder, `example-${i}.mts`), code)
  const names = [...Object.keys(FILES), ...EXAMPLES.map((_, i) => `example-${i}.mts`), 'absent.mjs']
  const script = `
    import { loadSettings } from ${JSON.stringify(new URL('load-settings.ts', import.meta.url).href)}
    const results = {}
    for (const name of ${JSON.stringify(names)})
      results[name] = await loadSettings({ file: ${JSON.stringify(folder)} + '/' + name, environment: {}, flags: {} })
        .catch((error) => ['CONFIG_FILE_INVALID', 'SETTING_INVALID', 'RULE_INVALID'].includes(error.code) ? error.message : 'unexpected: ' + error.stack)
    console.log(JSON.stringify(results))`
  const loader = join(folder, 'run.mjs')
  writeFileSync(loader, script)
  const { stdout, stderr } = spawnSync(process.execPath, [loader], { encoding: 'utf8' })
  results = JSON.parse(stdout || JSON.stringify({ stderr })) as typeof results
}, 30_000)
afterAll(() => rmSync(folder, { recursive: true }))

describe('settingsSource', () => {
  const request = { currentDirectory: tmpdir(), env: { ORBWEAVER_AGENT: 'bot' }, flags: { memoryMb: 99 } }

  it('returns plain data, which can be sent to a worker thread', () => {
    const named = join(folder, 'good.json')
    const source = settingsSource({ ...request, named })
    expect(structuredClone(source)).toEqual({
      file: named,
      environment: { agent: { name: 'bot' } },
      flags: { memoryMb: 99 },
    })
  })

  it('rejects invalid flags', () => {
    expect(() => settingsSource({ ...request, flags: { memoryMb: 1 } })).toThrow(
      'options: memoryMb is 1; expected a whole number of megabytes, at least 64',
    )
  })

  it('loads settings without a file', async () => {
    const { memoryMb, agent } = await loadSettings(settingsSource({ ...request, currentDirectory: folder }))
    expect({ memoryMb, agent }).toEqual({ memoryMb: 99, agent: { name: 'bot' } })
  })
})

describe('sourceForThreads', () => {
  const source = { environment: {}, flags: { memoryMb: 99 } }

  it('adds settings that are plain data, and they are not loaded again', async () => {
    const settings = await loadSettings(source)
    const sent = structuredClone(sourceForThreads(source, settings))
    expect(sent).toEqual({ ...source, settings })
    expect(await loadSettings(sent)).toBe(sent.settings)
  })

  it.each<[string, OrbweaverConfig]>([
    ['a function', { filters: { custom: [() => true] } }],
    ['an object with a class', { schedule: Object.create(createDefaultSchedule()) as FetchSchedule }],
  ])('does not add settings with %s', async (_, preset) => {
    const settings = await loadSettings({ ...source, preset })
    expect(sourceForThreads(source, settings)).toEqual(source)
  })
})

describe('loadSettings', () => {
  it.each(Object.keys(FILES))('loads %s, or reports the location of its mistake', (name) => {
    const wanted = JSON.parse(JSON.stringify(FILES[name]?.gives).replaceAll('FOLDER', folder)) as unknown
    if (typeof wanted === 'string') expect(results[name]).toContain(wanted)
    else expect(results[name]).toMatchObject(wanted as object)
  })

  it('names a file that does not exist', () => {
    expect(results['absent.mjs']).toContain(`${folder}/absent.mjs: Cannot find module`)
  })

  it('explains how to write a file without the package', () => {
    expect(results['import.mjs']).toContain('export a plain object')
  })

  it('loads the examples of docs/configuration.md', () => {
    expect(EXAMPLES).toHaveLength(2)
    expect(results['example-0.mts']).toMatchObject({ agent: { name: 'mybot' } })
    expect(results['example-1.mts']).toMatchObject({ schedule: { maxIntervalSeconds: 86_400 } })
  })
})
