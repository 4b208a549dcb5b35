import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  appliedManifests,
  composeFile,
  DEPLOY,
  deployedCommands,
  scalingQuery,
} from '../testing/deploy-commands.ts'
import { ExampleWeb } from '../testing/example-sites/example-web.ts'
import { QUOTES, quotesSite } from '../testing/example-sites/quotes-site.ts'
import { type RedisServer, startRedis } from '../testing/redis-server.ts'
import { runOrbweaver } from './run-orbweaver.ts'
import { StartedOrbweaver } from './started-orbweaver.ts'

/** The command lines of deploy/ as processes, with a Redis that has the settings of deploy/. */

const PASSWORD = 'a-long-password'
const TOKEN = 'a-token-of-enough-characters'
/** For all items of a small site, on a busy machine. */
const CRAWL_MS = 100_000

let folder: string
let web: ExampleWeb<'quotes'>
let redis: RedisServer | undefined
let processes: StartedOrbweaver[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-deploy-fleet-'))
  web = await ExampleWeb.start({ quotes: quotesSite })
  processes = []
})
afterEach(async () => {
  for (const one of processes) one.kill('SIGKILL')
  await Promise.all(processes.map(({ ended }) => ended))
  await web.close()
  await redis?.stop()
  rmSync(folder, { recursive: true })
})

const REDIS_FILES = {
  compose: () => composeFile().configs.redis.content,
  kubernetes: () => appliedManifests().find(({ data }) => data?.['redis.conf'])?.data?.['redis.conf'] ?? '',
}

it.each(['compose', 'kubernetes'] as const)(
  'the fleet of %s crawls a site, also when its workers are stopped and started',
  async (place) => {
    const server = await startRedis({ password: PASSWORD, settings: redisSettings(REDIS_FILES[place]()) })
    redis = server
    const variables = {
      ORBWEAVER_REDIS_URL: `redis://127.0.0.1:${server.port}/0`,
      ORBWEAVER_REDIS_PASSWORD: PASSWORD,
      ORBWEAVER_SERVE_TOKEN: TOKEN,
      ORBWEAVER_EMAIL: 'test@example.org',
    }
    const start = (name: string) => {
      const process = new StartedOrbweaver(argumentsOf(`${place} ${name}`), variables)
      processes.push(process)
      return process
    }
    const dashboard = start('dashboard')
    const url = `http://127.0.0.1:${(await dashboard.says(/open http:\/\/[^:]+:(\d+)\//))[1]}`
    const workers = [start('worker'), start('worker'), start('worker')]
    // The spider of Kubernetes has no start URL.
    if (place === 'kubernetes') {
      const { ORBWEAVER_REDIS_URL, ORBWEAVER_REDIS_PASSWORD } = variables
      const address = ORBWEAVER_REDIS_URL.replace('//', `//:${ORBWEAVER_REDIS_PASSWORD}@`)
      expect(await runOrbweaver(['push', 'quotes', web.url('quotes'), '--redis', address])).toMatchObject({
        exitCode: 0,
      })
    }
    await until(async () => (await metricsOf(url)).includes('orbweaver_fleet_workers{crawl="quotes"} 3\n'))

    const metrics = await metricsOf(url)
    for (const [name] of scalingQuery().matchAll(/orbweaver_\w+/g))
      expect(metrics).toMatch(new RegExp(`^${name}\\{crawl="quotes"[^}]*\\} `, 'm'))

    for (const worker of workers) worker.kill('SIGTERM')
    for (const worker of workers) expect(await worker.ended).toMatchObject({ exitCode: 3 })
    await until(async () => (await metricsOf(url)).includes('orbweaver_fleet_workers{crawl="quotes"} 0\n'))
    expect(await metricsOf(url)).toContain('orbweaver_fleet_requests{crawl="quotes",state="leased"} 0\n')

    const items = start('items')
    start('worker')
    await until(async () => itemCount() === QUOTES.length)
    for (const one of [items, dashboard]) {
      one.kill('SIGTERM')
      const ended = await one.ended
      expect(ended.exitCode, JSON.stringify(ended)).toBe(0)
    }
    expect(itemTexts()).toEqual(QUOTES.map(({ text }) => text).sort())
  },
  3 * CRAWL_MS,
)

/** With folders, ports and sites of this machine. */
function argumentsOf(name: string): string[] {
  const args = deployedCommands().find((command) => command.name === name)?.args ?? []
  const here = args.map((arg) =>
    arg
      .replace(/^\/spiders\//, `${join(DEPLOY, '../examples')}/`)
      .replace(/^\/spider\//, `${join(DEPLOY, 'kubernetes')}/`)
      .replace(/^\/crawl\//, `${folder}/`)
      .replace('0.0.0.0:9464', '127.0.0.1:0')
      .replace('https://quotes.example/', web.url('quotes')),
  )
  if (name.endsWith(' dashboard')) return [...here, '--port', '0']
  // A start URL from Redis must not make a worker request a private address.
  return name.endsWith(' worker') ? [...here, '--allow-host', '127.0.0.1'] : here
}

/** The lines of a configuration file, except the password, as arguments. */
function redisSettings(file: string): string[] {
  const lines = file.split('\n').filter((line) => /^[a-z]/.test(line) && !line.startsWith('requirepass'))
  return lines.flatMap((line) => `--${line}`.split(' '))
}

async function metricsOf(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text()
}

function itemTexts(): string[] {
  const lines = readFileSync(join(folder, 'items.jsonl'), 'utf8').trimEnd().split('\n')
  return lines.map((line) => (JSON.parse(line) as { text: string }).text).sort()
}

function itemCount(): number {
  try {
    return itemTexts().length
  } catch {
    // The file does not exist yet, or its last line is not complete.
    return 0
  }
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + CRAWL_MS
  while (!(await isReached())) {
    if (Date.now() > end) throw new Error(`not reached in ${CRAWL_MS / 1000} seconds`)
    await sleep(100)
  }
}
