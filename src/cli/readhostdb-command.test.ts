import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
import type { ProtocolCount } from '../flows/cycle/protocol-statistics.ts'
import type { HostDbReport, HostRecord } from '../flows/cycle/read-host-db.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
})

afterAll(() => crawls.close())

const home = () => new URL(crawls.web.url('home', '/')).hostname

describe('readhostdb', () => {
  it('has the facts that the crawl itself collected', async () => {
    const [first, second, ...others] = await commandJson<HostRecord[]>(['readhostdb', dir])
    expect(others).toEqual([])
    expect(Number(first?.['urls'])).toBeGreaterThanOrEqual(Number(second?.['urls']))
    const report = await commandJson<HostDbReport>(['readhostdb', dir, '--host', home()])
    expect(report).toMatchObject({
      host: home(),
      home_page: crawls.web.url('home', '/'),
      dns_failures: 0,
      failures_in_a_row: 0,
    })
    expect(report.values).toContainEqual({ field: 'protocol', value: 'http/1.1', count: report['responses'] })
  })

  it('selects hosts by an expression, and prints a table, CSV and names', async () => {
    const expr = `host = '${home()}'`
    const { stdout } = await command(['readhostdb', dir, '--expr', expr])
    expect(stdout).toMatch(/^host +URLs +fetched .*\n[\d.]+ +\d+ .*\n$/)
    expect((await command(['readhostdb', dir, '--expr', expr, '--dump-hostnames'])).stdout).toBe(
      `${home()}\n`,
    )
    expect((await command(['readhostdb', dir, '--expr', expr, '--dump-homepages'])).stdout).toBe(
      `${crawls.web.url('home', '/')}\n`,
    )
    expect((await command(['readhostdb', dir, '--csv', '--top', '1'])).stdout).toMatch(
      /^host,domain,urls,.*\r\n/,
    )
    expect(await command(['readhostdb', dir, '--expr', 'urls < 0'])).toMatchObject({ exitCode: 1 })
    expect(await command(['readhostdb', dir, '--host', 'nowhere.test'])).toMatchObject({
      exitCode: 1,
      stdout: 'the crawl has no URLs of nowhere.test\n',
    })
  })

  it.each([
    [
      ['--expr', 'nonsense > 1'],
      /^error: the condition "nonsense > 1" cannot be used: .*"nonsense" not found; columns of hostdb: host, .*\n$/,
    ],
    [['--expr', 'urls > (select 1'], 'the condition "urls > (select 1" cannot be used: '],
    [['--sort', 'nonsense'], '"nonsense" is not a column of hostdb, which has host, domain, urls'],
    [['--expr', "exists (from read_text('/etc/passwd'))"], 'error'],
    [['--sort', 'a;b'], 'is not a column of hostdb'],
    [['--host', 'a.test', '--top', '1'], '--host cannot be used'],
    [['--dump-hostnames', '--dump-homepages'], 'use only one'],
  ])('rejects %j', async (flags, message) => {
    const { exitCode, stderr } = await command(['readhostdb', dir, ...flags])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(message)
  })
})

describe('updatehostdb', () => {
  it('adds percentiles and checks names', async () => {
    expect(await commandJson(['updatehostdb', dir, '--check', 'all', '--rebuild'])).toEqual({
      hosts: 2,
      checked: { resolved: 2, failed: 0 },
    })
    const report = await commandJson<HostDbReport>(['readhostdb', dir, '--host', home()])
    expect(report.numbers.map(({ field }) => field)).toEqual(['bytes', 'response_ms'])
    expect((await command(['readhostdb', dir, '--host', home()])).stdout).toMatch(
      /^response_ms +count \d+, min /m,
    )
  })

  it('purges hosts only if they failed, and says so', async () => {
    expect((await command(['updatehostdb', dir, '--purge-failed-hosts', '1'])).stdout).toBe(
      '2 hosts updated\n0 URLs of 0 dead hosts marked as gone\n',
    )
  })
})

describe('protocolstats', () => {
  it('counts statuses, schemes and versions', async () => {
    const counts = await commandJson<ProtocolCount[]>(['protocolstats', dir])
    const kinds = new Set(counts.map(({ kind }) => kind))
    expect([...kinds]).toEqual(['protocol status', 'HTTP status', 'scheme', 'protocol version'])
    expect(counts).toContainEqual({ kind: 'HTTP status', value: '410', count: expect.any(Number) as number })
  })
})

describe('hostDb.maxCountExpr and hostDb.delayExpr', () => {
  it('limit the URLs of each host by an expression', async () => {
    const config = crawls.path('limits.json')
    // A site without redirects and failures: any of its pages may be the one.
    const seed = crawls.web.url('photos', '/')
    const expr = `case when host = '${new URL(seed).hostname}' then 1 end`
    writeFileSync(config, JSON.stringify({ hostDb: { maxCountExpr: expr, delayExpr: '0.001 * urls' } }))
    const limited = crawls.path('limited')
    await command(['crawl', limited, seed, '--rounds', '1', ...QUICK])
    const { exitCode, stderr } = await command([
      'crawl',
      limited,
      '--rounds',
      '1',
      '--config',
      config,
      ...QUICK,
    ])
    expect([exitCode, stderr]).toEqual([0, expect.any(String)])
    expect(await commandJson(['generate', limited, '--config', config])).toMatchObject({ selected: 1 })
  })

  it.each(['maxCountExpr', 'delayExpr'])('report an invalid %s', async (key) => {
    const config = crawls.path('wrong.json')
    writeFileSync(config, JSON.stringify({ hostDb: { [key]: 'no_such_column + 1' } }))
    const args = ['crawl', dir, '--rounds', '1', '--config', config, ...QUICK]
    const { exitCode, stderr } = await command(args)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`hostDb.${key} "no_such_column + 1" cannot be used: `)
  })
})
