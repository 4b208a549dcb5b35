import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { createDefaultSchedule } from '../../domain/schedule/default-schedule.ts'
import { mergeSettings } from './complete-config.ts'
import { environmentConfig } from './settings-source.ts'

describe('mergeSettings', () => {
  it('takes each key from the layer with the highest precedence: flags, environment, file, defaults', () => {
    const settings = mergeSettings({
      flags: { agent: { name: 'flag' } },
      environment: { agent: { name: 'env', email: 'env@a.test' } },
      file: { agent: { name: 'file', email: 'file@a.test', contactUrl: 'https://a.test/' } },
    })
    expect(settings.agent).toEqual({ name: 'flag', email: 'env@a.test', contactUrl: 'https://a.test/' })
    expect(settings.politeness.backoffSeconds).toBe(5)
  })

  it('merges headers and hosts by name, and does not merge lists', () => {
    const settings = mergeSettings({
      flags: {
        http: { headers: { 'X-A': 'flag' }, insecureHosts: ['flag.test'] },
        politeness: { hosts: { 'a.test': { delaySeconds: 9 } } },
      },
      environment: {},
      file: {
        http: { headers: { 'X-A': 'file', 'X-B': 'file' }, insecureHosts: ['file.test'] },
        politeness: { hosts: { 'a.test': { delaySeconds: 1, threadsPerHost: 2 } } },
      },
    })
    expect(settings.http.headers).toEqual({ 'X-A': 'flag', 'X-B': 'file' })
    expect(settings.http.insecureHosts).toEqual(['flag.test'])
    expect(settings.politeness.hosts['a.test']).toEqual({ delaySeconds: 9, threadsPerHost: 2 })
  })

  it('does not merge an object that the user implemented', () => {
    const schedule = createDefaultSchedule()
    const layers = { environment: {}, file: { schedule } }
    expect(mergeSettings({ ...layers, flags: {} }).schedule).toBe(schedule)
    expect(mergeSettings({ ...layers, flags: { schedule: 'adaptive' } }).schedule).toMatchObject({
      kind: 'adaptive',
    })
  })

  it('does not change its arguments', () => {
    const file = { agent: { name: 'file' } }
    mergeSettings({ flags: { agent: { name: 'flag' } }, environment: {}, file })
    expect(file).toEqual({ agent: { name: 'file' } })
  })
})

describe('environmentConfig', () => {
  it('reads its variables and ignores empty ones', () => {
    const env = {
      ORBWEAVER_AGENT: 'bot',
      ORBWEAVER_EMAIL: '',
      ORBWEAVER_PROXY: 'http://proxy.test',
      ORBWEAVER_REDIS_URL: 'redis://queue.test',
      ORBWEAVER_REDIS_PASSWORD: 'secret',
      PATH: '/bin',
    }
    expect(environmentConfig(env)).toEqual({
      agent: { name: 'bot' },
      http: { proxy: 'http://proxy.test' },
      redis: { url: 'redis://queue.test', password: 'secret' },
    })
  })

  it('names the variable with an invalid value', () => {
    expect(() => environmentConfig({ ORBWEAVER_AGENT: 'my bot' })).toThrow(
      new ConfigurationError(
        'SETTING_INVALID',
        'environment: ORBWEAVER_AGENT is "my bot"; expected a name of letters, digits, "-" and "_" that does not start with a digit',
      ),
    )
  })
})
