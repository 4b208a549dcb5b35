import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SettingsSource } from '../adapters/config/load-settings.ts'
import { Access } from '../adapters/serve/access.ts'
import { controlRoutes } from '../adapters/serve/control/control-routes.ts'
import type { CrawlManager } from '../adapters/serve/control/crawl-manager.ts'
import { type Listening, type ListenOptions, listen } from '../adapters/serve/listen.ts'
import { isLoopback } from '../adapters/serve/request-guards.ts'
import { createServeApp, readWebFiles } from '../adapters/serve/serve-app.ts'
import type { ServedEntry } from '../adapters/serve/serve-ports.ts'
import { wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { JsonObject } from '../base/json.ts'
import { PACKAGE_FOLDER } from '../base/program-files.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { metricsRoute } from './metrics-route.ts'
import { type OpenServedDirectory, openServedDirectory } from './serve-crawl.ts'

export interface ServeOptions extends ListenOptions {
  /** Turn actions off. @default false */
  readonly readOnly?: boolean
  /** Clients on other machines that have it may act. @default none; with a `host` that other machines can reach, a random one */
  readonly token?: string
  /** Called with errors whose details clients do not see. */
  readonly onFailure: (error: Error) => void
  /** The control API. With it, every request for data needs the token. @default none */
  readonly control?: ControlParts
}

/** What `serveEntries` needs for the control API. */
export interface ControlParts {
  readonly control: CrawlManager
  readonly openApi: JsonObject
}

export interface ServeDirectoriesOptions extends ServeOptions {
  /** Path of the configuration file. */
  readonly config?: string
  /** Memory limit of the database of each crawl, in megabytes. */
  readonly memory?: number
}

/** A crawl that runs, and the page that shows it. */
export interface RunningCrawl {
  readonly name: string
  readonly url: string
}

export interface CrawlServer extends Listening {
  /** Given or generated. Absent: only clients on this machine may act. */
  readonly token?: string
  /** The crawls that it shows. */
  readonly names: readonly string[]
  /** The crawls that run now. */
  running(): Promise<readonly RunningCrawl[]>
  /** Where the settings of each directory come from. */
  readonly sources: readonly SettingsSource[]
}

/** Starts the server for crawl directories. @throws ConfigurationError, CrawlDirectoryMissing */
export async function serveCrawls(
  dirs: readonly string[],
  options: ServeDirectoriesOptions,
): Promise<CrawlServer> {
  const opened: OpenServedDirectory[] = []
  const closeAll = async () => {
    for (const directory of opened.splice(0)) await directory.close()
  }
  try {
    const { config, memory } = options
    const ids = uniqueIds(dirs)
    for (const [i, dir] of dirs.entries())
      opened.push(
        await openServedDirectory(dir, { id: ids[i] ?? dir, ...withoutUndefined({ config, memory }) }),
      )
    const server = await serveEntries(
      opened.map(({ entry }) => entry),
      options,
    )
    const close = async () => {
      await server.close()
      await closeAll()
    }
    return { ...server, sources: opened.map(({ source }) => source), close }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Starts the server for these crawls. @throws ConfigurationError */
export async function serveEntries(
  crawls: readonly ServedEntry[],
  options: ServeOptions,
): Promise<Omit<CrawlServer, 'sources'>> {
  const { host, readOnly = false, onFailure, control } = options
  const requiresToken = control !== undefined
  const token = readOnly
    ? undefined
    : (checkedToken(options.token) ?? (requiresToken ? randomToken() : generatedToken(host)))
  const access = new Access(wallClock, { readOnly, requiresToken, ...withoutUndefined({ token }) })
  const files = await readWebFiles(webFolder())
  const metrics = metricsRoute(crawls)
  const { routes } = metrics
  try {
    const app = createServeApp({
      ...{ crawls, clock: wallClock, files, host, access, routes, onFailure },
      ...(control !== undefined && { control: controlRoutes({ ...control, access, onFailure }) }),
    })
    const server = await listen(app, options)
    const close = async () => {
      metrics.close()
      await server.close()
    }
    const running = () => runningCrawls(crawls, server.url)
    const names = crawls.map(({ name }) => name)
    return { ...server, ...withoutUndefined({ token }), names, running, close }
  } catch (error) {
    metrics.close()
    throw error
  }
}

async function runningCrawls(crawls: readonly ServedEntry[], url: string): Promise<RunningCrawl[]> {
  const found = await Promise.all(
    crawls.map(async ({ id, name, live }, i) => {
      // A crawl that cannot be reached is reported by the page.
      const running = await live.find().catch(() => undefined)
      // The first crawl is the default of the page.
      const query = i === 0 ? '' : `?${new URLSearchParams({ crawl: id })}`
      return running === undefined ? [] : [{ name, url: `${url}live${query}` }]
    }),
  )
  return found.flat()
}

/** Names of directories for URLs: `crawl`, `crawl-2`. */
export function uniqueIds(names: readonly string[]): string[] {
  const used = new Set<string>()
  return names.map((name) => {
    const id = basename(resolve(name)) || 'crawl'
    let unique = id
    for (let i = 2; used.has(unique); i++) unique = `${id}-${i}`
    used.add(unique)
    return unique
  })
}

function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x21-\x7e]{16,1000}$/.test(token)) return token
  throw new ConfigurationError(
    'OPTION_INVALID',
    'the token must have at least 16 characters, without spaces; openssl rand -hex 16 generates one',
  )
}

/** Other machines can reach the server, so that its users need a token. */
function generatedToken(host: string): string | undefined {
  return isLoopback(host.toLowerCase()) ? undefined : randomToken()
}

function randomToken(): string {
  return randomBytes(18).toString('base64url')
}

function webFolder(): string {
  const folder = fileURLToPath(new URL('dist/web/', PACKAGE_FOLDER))
  if (!existsSync(join(folder, 'index.html')))
    throw new ConfigurationError('OPTION_INVALID', 'the search page is not built: run npm run build')
  return folder
}
