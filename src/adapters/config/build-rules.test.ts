import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { createJudge } from '../../domain/crawldb/create-judge.ts'
import type { ReadPage } from '../../domain/parse/parse-rules.ts'
import { hostLimits } from '../../domain/politeness/host-options.ts'
import { createAdaptiveSchedule } from '../../domain/schedule/adaptive-schedule.ts'
import { createDefaultSchedule } from '../../domain/schedule/default-schedule.ts'
import { CandidateUrl } from '../../domain/url/candidate-url.ts'
import { resolveOptions } from '../http/http-fetcher-options.ts'
import { buildRules } from './build-rules.ts'
import { completeConfig } from './complete-config.ts'
import type { OrbweaverConfig } from './config-schema.ts'
import { fetcherOptions } from './fetcher-options.ts'

const clock = new FakeClock()
const rulesOf = (config: OrbweaverConfig, seeds?: readonly string[]) =>
  buildRules(completeConfig(config, 'test'), { clock, ...withoutUndefined({ seeds }) })
const verdictOn = (url: string, filters: OrbweaverConfig['filters'] = {}, seeds?: readonly string[]) =>
  rulesOf({ filters }, seeds).filter.judge(new CandidateUrl(url, { depth: 3 }))

describe('plain URLs', () => {
  const accepts = (config: OrbweaverConfig) => createJudge(rulesOf(config)).acceptsPlain

  it('are accepted by the default settings', () => {
    expect(accepts({})).toBe(true)
  })

  it.each<OrbweaverConfig>([
    { filters: { custom: [() => true] } },
    { filters: { rules: ['+.'] } },
    { filters: { allowDomains: ['example.org'] } },
    { filters: { denyDomains: ['example.org'] } },
    { filters: { maxLength: 100 } },
    { filters: { traps: { maxPathSegments: 2 } } },
    { normalizer: { custom: [(url) => url] } },
    { normalizer: { sortQuery: true } },
    { normalizer: { removeDefaultPage: true } },
    { normalizer: { maxLength: 100 } },
  ])('are judged with the settings %j', (config) => {
    expect(accepts(config)).toBeUndefined()
  })
})

describe('the URL filters', () => {
  it.each<[string, string, OrbweaverConfig['filters'], string]>([
    ['the default rules', 'http://a.test/x.png', {}, 'default rules:'],
    ['the lines given', 'http://a.test/x', { rules: ['# no x', '-x$', '+.'] }, 'filters.rules:2 -x$'],
    ['denied domains', 'http://b.a.test/', { denyDomains: ['a.test'] }, 'denied domains: a.test'],
    ['allowed domains', 'http://a.test/', { allowDomains: ['b.test'] }, 'allowed domains: not listed'],
    ['public names', 'http://intranet/', { validator: true }, 'filters.validator: not a public host name'],
    ['prefixes', 'http://a.test/', { prefixes: ['https://'] }, 'prefix: none matches'],
    ['suffixes', 'http://a.test/x.PDF?a', { suffixes: ['.pdf'] }, 'suffix: .pdf'],
    ['the length', 'http://a.test/', { maxLength: 5 }, 'filters.maxLength: longer than 5'],
    ['the depth', 'http://a.test/', { maxDepth: 2 }, 'filters.maxDepth: deeper than 2'],
    ['traps', 'http://a.test/a/b/c', { traps: { maxPathSegments: 2 } }, 'trap: more than 2'],
    [
      'a function',
      'http://a.test/',
      { custom: [(url) => url.host !== 'a.test'] },
      'filter filters.custom[0]',
    ],
    [
      'an object',
      'http://a.test/',
      { custom: [{ name: 'mine', judge: () => ({ accepted: false, rule: 'mine: no' }) }] },
      'mine: no',
    ],
  ])('reject by %s', (_what, url, filters, rule) => {
    const verdict = verdictOn(url, filters)
    expect(verdict.accepted).toBe(false)
    expect(verdict.rule).toContain(rule)
  })

  it('reject by a file of rules for hosts and domains', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orbweaver-fast-'))
    const fast = join(folder, 'fast-urlfilter.txt')
    writeFileSync(fast, 'Domain a.test\nDenyPath ^/private/')
    expect(verdictOn('http://b.a.test/private/x', { fast }).rule).toBe(
      `${fast}: Domain a.test: DenyPath ^/private/`,
    )
    expect(verdictOn('http://b.a.test/public/x', { fast }).accepted).toBe(true)
    rmSync(folder, { recursive: true })
  })

  it('keep external links that are exempt', () => {
    const { links } = rulesOf({ links: { ignoreExternal: true, exempt: ['+^https://cdn\\.'] } })
    const judge = links.linksOf('http://a.test/', undefined)
    expect(judge('https://cdn.test/x')).toEqual({ kept: true, internal: false })
    expect(judge('https://b.test/x').kept).toBe(false)
  })

  it('accept traps when traps are set to false', () => {
    const url = 'http://a.test/calendar/2999/01/01'
    expect(verdictOn(url).accepted).toBe(false)
    expect(verdictOn(url, { traps: false }).accepted).toBe(true)
  })

  it('accept only the hosts, or domains, of the seeds when there are any', () => {
    const other = 'http://b.example.com/'
    const seeds = ['http://a.example.com/']
    expect(verdictOn(other, {}, seeds)).toEqual({
      accepted: false,
      rule: 'scope: b.example.com is not a seed host',
    })
    expect(verdictOn(other, { scope: 'domain' }, seeds).accepted).toBe(true)
    expect(verdictOn(other).accepted).toBe(true)
  })

  it('read a rule file, and name it when it cannot be read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orbweaver-rules-'))
    const rules = join(folder, 'rules.txt')
    expect(() => verdictOn('http://a.test/', { rules })).toThrow(
      `${rules}: cannot read the rule file (ENOENT)`,
    )
    writeFileSync(rules, '-private\n+.\n')
    expect(verdictOn('http://a.test/private', { rules })).toEqual({
      accepted: false,
      rule: `${rules}:1 -private`,
    })
    rmSync(folder, { recursive: true })
  })
})

describe('the host options', () => {
  it('are those of the queues by default', () => {
    const { overrides, ...general } = rulesOf({}).hosts
    expect(hostLimits(general, 'test')).toEqual(hostLimits({}, 'test'))
    expect(overrides?.('a.test')).toBeUndefined()
  })

  it('differ for a host and its subdomains; the longest match wins', () => {
    const { hosts } = rulesOf({
      politeness: {
        maxFailures: false,
        hosts: {
          'a.test': { delaySeconds: 2.5 },
          'b.a.test': { threadsPerHost: 3, maxCrawlDelaySeconds: 60 },
        },
      },
    })
    expect(hosts.maxFailures).toBe(Number.POSITIVE_INFINITY)
    expect(hosts.overrides?.('www.a.test')).toEqual({ delayMs: 2500 })
    expect(hosts.overrides?.('b.a.test')).toEqual({ maxInFlight: 3, maxDelayMs: 60_000 })
    expect(hosts.overrides?.('other.test')).toBeUndefined()
  })
})

describe('the schedule', () => {
  const page = {
    url: 'http://a.test/',
    metadata: {},
    fetchTime: 0,
    fetchInterval: 1000,
    modifiedTime: 5,
    retries: 1,
  }

  it('has the defaults of the built-in ones', () => {
    const pairs = [
      [rulesOf({}).schedule, createDefaultSchedule()],
      [rulesOf({ schedule: 'adaptive' }).schedule, createAdaptiveSchedule()],
    ] as const
    for (const [ours, theirs] of pairs) {
      expect(ours.maxIntervalSeconds).toBe(theirs.maxIntervalSeconds)
      expect(ours.initialise(1)).toEqual(theirs.initialise(1))
      for (const change of ['modified', 'not-modified', 'unknown'] as const)
        expect(ours.onFetched(page, 900_000, change)).toEqual(theirs.onFetched(page, 900_000, change))
    }
  })

  it('can be an object of the user', () => {
    const schedule = createDefaultSchedule({ defaultIntervalSeconds: 7 })
    expect(rulesOf({ schedule }).schedule).toBe(schedule)
    expect(
      rulesOf({ schedule: { kind: 'adaptive', defaultIntervalSeconds: 7 } }).schedule.initialise(0),
    ).toMatchObject({
      fetchInterval: 7,
    })
  })

  it('names its section when values contradict each other', () => {
    expect(() =>
      rulesOf({ schedule: { kind: 'adaptive', minIntervalSeconds: 50, maxIntervalSeconds: 10 } }),
    ).toThrow('schedule: minIntervalSeconds: 50 to 10 s')
  })
})

describe('the scoring', () => {
  const page = { url: 'http://a.test/', score: 2, metadata: {} }
  const links = [{ url: 'http://a.test/x', internal: true }]

  it('is OPIC, depth or both', () => {
    expect(rulesOf({}).scoring.injected(page).metadata).toEqual({})
    expect(rulesOf({}).scoring.distribute(page, links, 1)).toEqual([{ score: 2 }])
    const depth = rulesOf({ scoring: 'depth' }).scoring
    expect(depth.distribute({ ...page, ...depth.injected(page) }, links, 1)).toEqual([{ score: 0, depth: 2 }])
    const both = rulesOf({ scoring: { opic: { internalFactor: 0.5 }, depth: {} } }).scoring
    expect(both.distribute({ ...page, ...both.injected(page) }, links, 1)).toEqual([{ score: 1, depth: 2 }])
    // A depth limit turns on depth scoring, which counts.
    const counted = rulesOf({ filters: { maxDepth: 1 } }).scoring
    expect(counted.distribute({ ...page, ...counted.injected(page) }, links, 1)).toEqual([
      { score: 2, depth: 2 },
    ])
    const seedsOnly = rulesOf({ filters: { maxDepth: 0 } }).scoring
    expect(seedsOnly.distribute({ ...page, ...seedsOnly.injected(page) }, links, 1)).toEqual([undefined])
  })

  it('can be an object of the user', () => {
    const { scoring } = rulesOf({})
    expect(rulesOf({ scoring }).scoring).toBe(scoring)
  })
})

describe('the links and the reading', () => {
  it('follow the settings', () => {
    const { links } = rulesOf({ links: { ignoreExternal: true, maxOutlinks: 7, maxOutlinkLength: 30 } })
    const judge = links.linksOf('http://a.test/', undefined)
    expect(links.maxOutlinks).toBe(7)
    expect(judge('http://b.test/').kept).toBe(false)
    expect(judge('http://a.test/b').kept).toBe(true)
    expect(judge(`http://a.test/${'b'.repeat(30)}`).kept).toBe(false)
  })

  it('remove nofollow from links with links.followNofollow', async () => {
    const [filter] = rulesOf({ links: { followNofollow: true } }).parseFilters
    const link = { url: 'http://a.test/', anchor: '', kind: 'a', rel: ['nofollow', 'me'] }
    const change = await filter?.filter({ reading: { links: [link] } } as unknown as ReadPage)
    expect(change?.links).toEqual([{ ...link, rel: ['me'] }])
  })

  it('lead to the llms.txt of each origin with links.llmsTxt', async () => {
    const [filter] = rulesOf({ links: { llmsTxt: true } }).parseFilters
    const link = { url: 'http://a.test/b', anchor: '', kind: 'a', rel: [] }
    const linksOf = async (url: string, followable = true) =>
      (
        await filter?.filter({ url, reading: { links: [link], followable } } as unknown as ReadPage)
      )?.links?.map((one) => one.url)
    expect(await linksOf('http://a.test/1', false)).toBeUndefined()
    expect(await linksOf('http://a.test/2')).toEqual(['http://a.test/llms.txt', 'http://a.test/b'])
    expect(await linksOf('http://a.test/3')).toBeUndefined()
    expect(await linksOf('http://a.test:81/')).toEqual(['http://a.test:81/llms.txt', 'http://a.test/b'])
    expect(rulesOf({}).parseFilters).toEqual([])
  })

  it('use the normaliser of the settings', () => {
    const { normalize, reading } = rulesOf({ normalizer: { sortQuery: true }, agent: { name: 'bot' } })
    expect(normalize('http://a.test/?b&a')).toEqual({ ok: true, url: 'http://a.test/?a&b' })
    expect(reading.normalize).toBe(normalize)
    expect(reading.agent).toBe('bot')
  })
})

describe('fetcherOptions', () => {
  const optionsOf = (http: OrbweaverConfig['http']) =>
    fetcherOptions(
      completeConfig({ http }, 'test'),
      '1.2.3',
      ['seed.test', '127.0.0.1', 'localhost', '[::1]'],
      ['wiki.corp'],
    )

  it('are the defaults of the fetcher by default', () => {
    const agent = { name: 'orbweaver', version: '1.2.3' }
    const defaults = resolveOptions({ agent })
    const ours = resolveOptions(optionsOf({}))
    expect({ ...ours, allowPrivateHosts: undefined }).toEqual({ ...defaults, allowPrivateHosts: undefined })
  })

  it('limit every phase of a request to the total timeout', () => {
    expect(optionsOf({ timeoutSeconds: 12 })).toMatchObject({
      totalTimeoutMs: 12_000,
      headersTimeoutMs: 12_000,
      connectTimeoutMs: 10_000,
    })
  })

  it('allow private addresses for seeds that are IP addresses, for names that were private, and for listed hosts', () => {
    const { allowPrivateHosts } = optionsOf({ allowPrivateHosts: ['LAN.test'] })
    expect(['127.0.0.1', 'localhost', '[::1]', 'lan.test'].map(allowPrivateHosts)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(allowPrivateHosts('wiki.corp')).toBe('local-network')
    expect(['seed.test', 'x.localhost', '127.0.0.2', 'a.wiki.corp'].map(allowPrivateHosts)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  it('accept several proxies', () => {
    const proxy = ['http://a.test', { url: 'socks5://b.test', weight: 2, tier: 1 }]
    expect(optionsOf({ proxy }).proxy).toEqual([
      { url: 'http://a.test' },
      { url: 'socks5://b.test', noProxy: [], weight: 2, tier: 1 },
    ])
    expect(() => optionsOf({ proxy: [] })).toThrow('http.proxy')
    expect(() => optionsOf({ proxy: ['http://a.test', 'me:secret@b.test'] })).toThrow(/^(?!.*secret)/)
  })

  it('accept a proxy as a URL', () => {
    expect(optionsOf({ proxy: 'socks5://p.test' }).proxy).toEqual({ url: 'socks5://p.test' })
    expect(resolveOptions(optionsOf({ proxy: { url: 'http://p.test', noProxy: ['a.test'] } })).proxy).toEqual(
      {
        url: 'http://p.test',
        noProxy: ['a.test'],
        tier: 0,
        weight: 1,
      },
    )
  })
})
