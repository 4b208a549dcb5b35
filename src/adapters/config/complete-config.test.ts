import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { createDefaultSchedule } from '../../domain/schedule/default-schedule.ts'
import { completeConfig } from './complete-config.ts'

const check = (value: unknown) => completeConfig(value, 'my.config.ts')

describe('completeConfig', () => {
  it('fills in every default', () => {
    const settings = check({})
    expect(settings.agent).toEqual({ name: 'orbweaver' })
    expect(settings.politeness).toMatchObject({ threadsPerHost: 1, queueMode: 'host' })
    expect(settings.schedule).toMatchObject({ kind: 'default', defaultIntervalSeconds: 2_592_000 })
    expect(settings.scoring).toEqual({ opic: expect.objectContaining({ internalFactor: 1 }) })
    expect(settings.filters).toMatchObject({ scope: 'host', traps: { maxPathSegments: 20 }, custom: [] })
  })

  it('freezes the settings, their sections and lists', () => {
    const settings = check({ filters: { allowDomains: ['a.test'] }, politeness: { hosts: { 'a.test': {} } } })
    for (const part of [
      settings,
      settings.agent,
      settings.filters.allowDomains,
      settings.politeness.hosts,
      settings.politeness.hosts['a.test'],
      settings.schedule,
    ])
      expect(Object.isFrozen(part)).toBe(true)
  })

  it('takes objects of the user as they are, and leaves them unfrozen', () => {
    const schedule = createDefaultSchedule()
    const settings = check({ schedule })
    expect(settings.schedule).toBe(schedule)
    expect(Object.isFrozen(schedule)).toBe(false)
  })

  it('writes hosts as URLs have them', () => {
    expect(check({ http: { insecureHosts: ['Bücher.Example.'] } }).http.insecureHosts).toEqual([
      'xn--bcher-kva.example',
    ])
    const { hosts } = check({ politeness: { hosts: { 'A.Test': {} } } }).politeness
    expect(Object.keys(hosts)).toEqual(['a.test'])
  })

  it.each<[string, unknown, string]>([
    ['a misspelt section', { politness: {} }, 'politness: there is no such key; did you mean politeness?'],
    [
      'a misspelt key',
      { politeness: { dealySeconds: 1 } },
      'politeness.dealySeconds: there is no such key; did you mean delaySeconds?',
    ],
    [
      'a key in the wrong place',
      { delaySeconds: 1 },
      'delaySeconds: there is no such key; did you mean politeness.delaySeconds?',
    ],
    [
      'a misspelt key of a host',
      { politeness: { hosts: { 'a.test': { delay: 1 } } } },
      'politeness.hosts.a.test.delay: there is no such key; did you mean delaySeconds?',
    ],
    ['a key like no other', { zebra: 1 }, 'zebra: there is no such key'],
    [
      'a key of another kind',
      { schedule: { kind: 'default', increaseRate: 0.1 } },
      'schedule.increaseRate: this key goes with another kind',
    ],
    ['an unknown kind', { schedule: { kind: 'x' } }, "schedule.kind is \"x\"; give 'default' or 'adaptive'"],
    [
      'a misspelt option of a schedule',
      { schedule: { kind: 'adaptive', syncrate: 0.1 } },
      'schedule.syncrate: there is no such key; did you mean syncRate?',
    ],
    [
      'a misspelt scoring',
      { scoring: { opci: {} } },
      'scoring.opci: there is no such key; did you mean opic?',
    ],
    ['no scoring at all', { scoring: {} }, 'scoring is {}; name opic, depth or both'],
    [
      'a number as text',
      { politeness: { delaySeconds: '5' } },
      'politeness.delaySeconds is "5"; give a number of seconds, at least 0',
    ],
    [
      'half a thread',
      { politeness: { threads: 1.5 } },
      'politeness.threads is 1.5; give a whole number, at least 1',
    ],
    [
      'an unknown choice',
      { politeness: { queueMode: 'site' } },
      'politeness.queueMode is "site"; give host or domain',
    ],
    [
      'a URL as a host',
      { politeness: { hosts: { 'http://a.test': {} } } },
      'politeness.hosts.http://a.test is "http://a.test"; give a host name like example.com, without a scheme, a port or a path',
    ],
    [
      'a filter that is none',
      { parse: { filters: [{}] } },
      'parse.filters.0 is {}; give a ParseFilter: an object with filter',
    ],
    [
      'a bad agent name',
      { agent: { name: 'my bot' } },
      'agent.name is "my bot"; give a name of letters, digits, "-" and "_", no digit first',
    ],
    ['something else altogether', [], 'give an object (found [])'],
  ])('refuses %s', (_what, value, message) => {
    expect(() => check(value)).toThrow(new ConfigurationError('SETTING_INVALID', `my.config.ts: ${message}`))
  })

  it('tells all mistakes at once, a line each', () => {
    expect(() => check({ memoryMb: 1, agent: { nmae: 'x' } })).toThrow(
      new ConfigurationError(
        'SETTING_INVALID',
        [
          'my.config.ts: agent.nmae: there is no such key; did you mean name?',
          'my.config.ts: memoryMb is 1; give a whole number of megabytes, at least 64',
        ].join('\n'),
      ),
    )
  })

  it('keeps passwords of Redis to itself', () => {
    expect(() => check({ redis: { password: ['secret'] } })).toThrow(
      /^(?!.*secret).*redis\.password is no password; give a password/,
    )
    expect(() => check({ redis: { sentinelPassword: 'sec\nret' } })).toThrow(/^(?!.*ret).*is no password/s)
    expect(() => check({ redis: { url: 'redis://:secret@\nhost' } })).toThrow(/^(?!.*secret).*redis\.url is/s)
  })

  it('keeps the password of a proxy to itself', () => {
    expect(() => check({ http: { proxy: 'ftp://user:secret@proxy.test' } })).toThrow(
      /^(?!.*secret).*ftp:\/\/proxy/,
    )
  })
})
