import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SpiderLimits } from '../../src/flows/spider/spider-definition.ts'
import type { RedisServer } from '../../testing/redis-server.ts'
import { FleetWorker } from './fleet-worker.ts'
import type { LoggedSites } from './logged-sites.ts'

export interface LimitedWorkerOptions {
  /** Of the spider. @default none */
  readonly limits?: SpiderLimits
  /** @default 5 */
  readonly leaseSeconds?: number
  readonly flags?: readonly string[]
}

/** Starts a worker of the crawl `sites`, which takes few hosts at a time and yields an item for each page. */
export function startLimitedWorker(
  folder: string,
  sites: LoggedSites,
  redis: Pick<RedisServer, 'address'>,
  name: string,
  { limits = {}, leaseSeconds = 5, flags = [] }: LimitedWorkerOptions = {},
): FleetWorker {
  const file = join(folder, 'sites.ts')
  const source = pathToFileURL(join(import.meta.dirname, '../../src/wiring/define-spider.ts')).href
  writeFileSync(
    file,
    `import { spider } from '${source}'
export default spider({
  name: 'sites',
  start: ${JSON.stringify(sites.starts)},
  limits: ${JSON.stringify(limits)},
  *parse(page) {
    yield page.item({ url: page.url })
    yield* page.followAll('a')
  },
})
`,
  )
  const config = join(folder, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({
      agent: { email: 'test@example.org' },
      politeness: { threads: 1, delaySeconds: 0.01 },
      redis: { leaseSeconds },
    }),
  )
  const header = `X-Worker: ${name}`
  return new FleetWorker([
    ...['run', file, '--config', config, '--redis', redis.address, '--header', header],
    ...flags,
  ])
}

/** The URLs of all items of the crawl. */
export async function itemsOf(redis: RedisServer): Promise<string[]> {
  const lines = await redis.command('LRANGE', 'sites:items', '0', '-1')
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { readonly url: string }).url)
}
