import { expect, it } from 'vitest'
import { configSchema, type Settings } from './config-schema.ts'
import { settingsBySection } from './settings-by-section.ts'

/** As the build writes them. */
const DEFAULTS = JSON.parse(JSON.stringify(configSchema().parse({}))) as Settings
const OWN_SCHEDULE = { initialise() {}, onFetched() {}, onGone() {}, onRetry() {} }

it('has defaults that survive as JSON', () => {
  expect(configSchema().parse({})).toEqual(DEFAULTS)
})

it.each([
  {},
  { agent: { name: 'spiderling', email: 'me@example.org' } },
  { politeness: { delaySeconds: 0, hosts: { 'Example.COM': { delaySeconds: 5 } } }, memoryMb: 512 },
  { schedule: 'adaptive', scoring: { opic: {} }, filters: { scope: 'domain' } },
  { schedule: OWN_SCHEDULE, http: undefined },
  { segments: 's3://bucket/crawl', requestLog: false },
])('gives the settings of the whole schema: %j', (config) => {
  const settings = settingsBySection(config, DEFAULTS)
  expect(settings).toEqual(configSchema().parse(config))
  expect(Object.isFrozen(settings)).toBe(true)
})

it.each<{ config: unknown }>([
  { config: { agent: { nmae: 'typo' } } },
  { config: { unknown: {} } },
  { config: { memoryMb: 1 } },
  { config: { memoryMb: undefined } },
  { config: { toString: 1 } },
  { config: [] },
  { config: 'agent' },
  { config: null },
])('leaves %j to the whole schema, which rejects it', ({ config }) => {
  expect(settingsBySection(config, DEFAULTS)).toBeUndefined()
  expect(configSchema().safeParse(config).success).toBe(false)
})

it('leaves every configuration to the whole schema without defaults', () => {
  expect(settingsBySection({}, undefined)).toBeUndefined()
})
