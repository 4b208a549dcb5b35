import { existsSync, statSync } from 'node:fs'
import type { Settings } from '../../adapters/config/config-schema.ts'
import { steadyClock, wallClock } from '../../base/clock.ts'
import { ConfigurationError, CrawlError } from '../../base/crawl-error.ts'
import { NO_LOG } from '../../base/event-log.ts'
import { formatCount } from '../../base/format-values.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { isWebUrl } from '../../domain/fetch/protocol.ts'
import { type SessionOptions, sessionSettings } from '../crawl-session.ts'
import type { Spider } from '../define-spider.ts'
import { loadSpiderFile } from '../load-spider-file.ts'
import { type RedisSessionOptions, settingsHere, useRedis } from '../redis-session.ts'
import { startUrlsOf } from '../run-engine.ts'
import { spiderSettings } from '../spider-settings.ts'
import { type CrawlCheck, checkCrawl } from './check-crawl.ts'
import { checkMachine, thisMachine } from './check-machine.ts'
import { checkRedis } from './check-redis.ts'
import { checkAgent, checkNetwork, checkSites, MAX_SITES } from './check-site.ts'
import { type Finding, ok, problem } from './finding.ts'

/** What `doctor` checks in addition to this machine. */
export interface DoctorRequest {
  /** A crawl directory, the file of a spider, or a URL. @default none */
  readonly target?: string
  readonly redis?: string | true
  readonly config?: string
  /** Without requests to sites. @default false */
  readonly offline?: boolean
  readonly repair?: boolean
  readonly session: Omit<SessionOptions, 'dir'>
  readonly signal: AbortSignal
}

export interface DoctorReport extends Partial<Pick<CrawlCheck, 'diagnosis' | 'repair'>> {
  readonly findings: readonly Finding[]
}

/**
 * Checks this machine, and the target and the Redis if they are given. A check that fails is a finding.
 * @throws ConfigurationError for a target that does not exist
 */
export async function runDoctor(request: DoctorRequest): Promise<DoctorReport> {
  const subject = await subjectOf(request)
  const { settings, crawl, seeds } = subject
  const { offline = false, redis, signal } = request
  const machine = thisMachine(wallClock.now())
  const findings = [
    ...(await checkMachine(machine, settings, subject.dir)),
    checkAgent(settings),
    ...(await checkNetwork(settings)),
    ...subject.findings,
    ...(crawl?.findings ?? []),
    ...(redis === undefined ? [] : await redisFindings(request)),
    ...(offline ? [] : await checkSites(seeds, { settings, clock: steadyClock, signal })),
  ]
  if (!offline && seeds.length > MAX_SITES)
    findings.push(ok('site', `${seeds.length - MAX_SITES} more sites were not checked`))
  return { findings, ...withoutUndefined({ diagnosis: crawl?.diagnosis, repair: crawl?.repair }) }
}

interface Subject {
  readonly settings: Settings
  /** Where files are written. */
  readonly dir: string
  readonly seeds: readonly string[]
  readonly findings: readonly Finding[]
  readonly crawl?: CrawlCheck
}

async function subjectOf(request: DoctorRequest): Promise<Subject> {
  const { target, config, session, repair = false } = request
  const here = process.cwd()
  const settings = () => settingsHere(withoutUndefined({ config }))
  if (target === undefined) return { settings: await settings(), dir: here, seeds: [], findings: [] }
  if (/^https?:\/\//i.test(target)) {
    if (!URL.canParse(target)) throw new ConfigurationError('URL_INVALID', `${target} is not a URL`)
    return { settings: await settings(), dir: here, seeds: [new URL(target).href], findings: [] }
  }
  if (!existsSync(target))
    throw new ConfigurationError(
      'OPTION_INVALID',
      `${target} does not exist; give a crawl directory, the file of a spider, or a URL`,
    )
  if (!statSync(target).isDirectory()) return spiderSubject(target, request)
  const own = await sessionSettings({ ...session, dir: target, loadsCode: false })
  const crawl = await checkCrawl({ ...session, dir: target, loadsCode: false }, repair)
  // Files need no connection.
  const seeds = crawl.seeds.filter(isWebUrl)
  return { settings: own.settings, dir: target, seeds, findings: [], crawl }
}

async function spiderSubject(file: string, { config }: DoctorRequest): Promise<Subject> {
  const spider: Spider = await loadSpiderFile(file, {})
  const settings = await spiderSettings({ settings: {}, own: spider.settings, dir: process.cwd(), config })
  const seeds = startUrlsOf(spider)
  const handlers = ['parse', ...Object.keys(spider.handlers ?? {})].length
  const starts =
    seeds.length === 0 ? 'start requests are made when it runs' : formatCount(seeds.length, 'start URL')
  const message = `${spider.name}: ${formatCount(handlers, 'handler')}, ${starts}`
  return { settings, dir: process.cwd(), seeds: onePerHost(seeds), findings: [ok('spider', message)] }
}

function onePerHost(urls: readonly string[]): string[] {
  return [...new Map(urls.map((url) => [new URL(url).host, url])).values()]
}

async function redisFindings({ redis, config, signal }: DoctorRequest): Promise<Finding[]> {
  const options: RedisSessionOptions = {
    ...withoutUndefined({ redis, config }),
    ...{ signal, log: NO_LOG },
  }
  try {
    const { serverInfos } = await import('../../adapters/redis/server-facts.ts')
    return await useRedis(options, async (connection) => {
      const nodes = await serverInfos(connection)
      return nodes.flatMap((info) => {
        const findings = checkRedis(info, wallClock.now())
        if (nodes.length === 1) return findings
        return findings.map((finding) => ({ ...finding, message: `port ${info.port}: ${finding.message}` }))
      })
    })
  } catch (error) {
    if (error instanceof ConfigurationError || !(error instanceof CrawlError)) throw error
    return [problem('Redis', error.message, 'Check that Redis runs and that this machine can reach it.')]
  }
}
