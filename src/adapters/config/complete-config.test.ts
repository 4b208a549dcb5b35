import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { createDefaultSchedule } from '../../domain/schedule/default-schedule.ts'
import { completeConfig, configMistakes } from './complete-config.ts'
import { configKeys } from './config-keys.ts'

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

  it('passes objects of the user through, not frozen', () => {
    const schedule = createDefaultSchedule()
    const settings = check({ schedule })
    expect(settings.schedule).toBe(schedule)
    expect(Object.isFrozen(schedule)).toBe(false)
  })

  it('normalises host names', () => {
    expect(check({ http: { insecureHosts: ['Bücher.Example.'] } }).http.insecureHosts).toEqual([
      'xn--bcher-kva.example',
    ])
    const { hosts } = check({ politeness: { hosts: { 'A.Test': {} } } }).politeness
    expect(Object.keys(hosts)).toEqual(['a.test'])
  })

  it.each<[string, unknown, string]>([
    ['a misspelt section', { politness: {} }, 'politness: unknown key; did you mean politeness?'],
    [
      'a misspelt key',
      { politeness: { dealySeconds: 1 } },
      'politeness.dealySeconds: unknown key; did you mean delaySeconds?',
    ],
    [
      'a key in the wrong place',
      { delaySeconds: 1 },
      'delaySeconds: unknown key; did you mean politeness.delaySeconds?',
    ],
    [
      'a misspelt key of a host',
      { politeness: { hosts: { 'a.test': { delay: 1 } } } },
      'politeness.hosts.a.test.delay: unknown key; did you mean delaySeconds?',
    ],
    ['a key similar to no other', { zebra: 1 }, 'zebra: unknown key'],
    [
      'a key of another kind',
      { schedule: { kind: 'default', increaseRate: 0.1 } },
      "schedule.increaseRate: this key does not apply to the kind 'default'",
    ],
    [
      'a section in another section',
      { http: { agent: { name: 'x' } } },
      'http.agent: unknown key; agent is a top-level key, not a part of http',
    ],
    [
      'a section in itself',
      { http: { http: {} } },
      'http.http: unknown key; http is a top-level key, not a part of http',
    ],
    ['a short key similar to no other', { agent: { mood: 1 } }, 'agent.mood: unknown key'],
    [
      'a missing key',
      { schedule: { increaseRate: 1 } },
      "schedule.kind is missing; expected 'default', 'adaptive' or 'freshness'",
    ],
    ['a text in place of a section', { scoring: { opic: 'x' } }, 'scoring.opic is "x"; expected an object'],
    [
      'a text in place of a group',
      { index: { synonyms: ['ab'] } },
      'index.synonyms.0 is "ab"; expected a list',
    ],
    [
      'a group of one',
      { index: { synonyms: [['a']] } },
      'index.synonyms.0 is ["a"]; expected a list of at least 2 values',
    ],
    [
      'an empty word',
      { index: { synonyms: [['a', '']] } },
      'index.synonyms.0.1 is ""; expected a text that is not empty',
    ],
    [
      'an unknown kind',
      { schedule: { kind: 'x' } },
      "schedule.kind is \"x\"; expected 'default', 'adaptive' or 'freshness'",
    ],
    [
      'a misspelt option of a schedule',
      { schedule: { kind: 'adaptive', syncrate: 0.1 } },
      'schedule.syncrate: unknown key; did you mean syncRate?',
    ],
    ['a misspelt scoring', { scoring: { opci: {} } }, 'scoring.opci: unknown key; did you mean opic?'],
    [
      'no scoring at all',
      { scoring: {} },
      'scoring is {}; expected opic or link, depth, or one of the first two with depth',
    ],
    [
      'two scorings that exclude each other',
      { scoring: { opic: {}, link: {} } },
      'scoring is {"opic":{"internalFactor":1,"externalFactor":1,"countFilter…; expected opic or link, depth, or one of the first two with depth',
    ],
    [
      'a number as text',
      { politeness: { delaySeconds: '5' } },
      'politeness.delaySeconds is "5"; expected a number of seconds, at least 0',
    ],
    [
      'a fraction of a thread',
      { politeness: { threads: 1.5 } },
      'politeness.threads is 1.5; expected a whole number, at least 1',
    ],
    [
      'an unknown choice',
      { politeness: { queueMode: 'site' } },
      'politeness.queueMode is "site"; expected host or domain',
    ],
    [
      'a URL as a host',
      { politeness: { hosts: { 'http://a.test': {} } } },
      'politeness.hosts.http://a.test is "http://a.test"; expected a host name like example.com, without scheme, port and path',
    ],
    [
      'an object that is not a filter',
      { parse: { filters: [{}] } },
      'parse.filters.0 is {}; expected a ParseFilter: an object with filter',
    ],
    [
      'a bad agent name',
      { agent: { name: 'my bot' } },
      'agent.name is "my bot"; expected a name of letters, digits, "-" and "_" that does not start with a digit',
    ],
    ['an array instead of an object', [], 'expected an object (found [])'],
  ])('rejects %s', (_what, value, message) => {
    expect(() => check(value)).toThrow(new ConfigurationError('SETTING_INVALID', `my.config.ts: ${message}`))
  })

  it('reports all mistakes, one per line', () => {
    expect(() => check({ memoryMb: 1, agent: { nmae: 'x' } })).toThrow(
      new ConfigurationError(
        'SETTING_INVALID',
        [
          'my.config.ts: agent.nmae: unknown key; did you mean name?',
          'my.config.ts: memoryMb is 1; expected a whole number of megabytes, at least 64',
        ].join('\n'),
      ),
    )
  })

  it.each([
    [['?']],
    [''],
    [-7.5],
    [null],
    [[]],
    [[[]]],
    [[-1]],
    [[{}]],
    [{ x: '?' }],
    [{ x: { y: 1 } }],
    [{}],
  ])('says of every key which values are accepted, for %j', (value) => {
    const mistakes = configMistakes(everyKeyAs(value))
    expect(mistakes.length).toBeGreaterThan(50)
    expect(mistakes.filter((mistake) => /Invalid|Too |undefined/.test(mistake))).toEqual([])
  })

  it('does not print passwords of Redis', () => {
    expect(() => check({ redis: { password: ['secret'] } })).toThrow(
      /^(?!.*secret).*redis\.password is not a password; expected a password/,
    )
    expect(() => check({ redis: { sentinelPassword: 'sec\nret' } })).toThrow(/^(?!.*ret).*is not a password/s)
    expect(() => check({ redis: { url: 'redis://:secret@\nhost' } })).toThrow(/^(?!.*secret).*redis\.url is/s)
  })

  it('does not print the password of a proxy', () => {
    expect(() => check({ http: { proxy: 'ftp://user:secret@proxy.test' } })).toThrow(
      /^(?!.*secret).*ftp:\/\/proxy/,
    )
  })
})

/** A configuration in which every key that is not a section has this value. */
function everyKeyAs(value: unknown): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  const given = new Set<string>()
  for (const { path, isSection } of configKeys()) {
    // Keys of values that have this form only sometimes: their parent is given.
    if (isSection || [...given].some((parent) => path.startsWith(`${parent}.`))) continue
    given.add(path)
    const names = path.split('.')
    const last = names.pop() ?? ''
    let section = root
    for (const name of names) {
      section[name] ??= {}
      section = section[name] as Record<string, unknown>
    }
    section[last] = value
  }
  return root
}
