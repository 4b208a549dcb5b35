import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { installPackages } from './install-packages.ts'

export interface RedisServerOptions {
  /** Every write is on disk before its response: a kill loses nothing. @default false: in memory only */
  readonly aof?: boolean
  readonly password?: string
  /** Only over TLS, with this key and certificate (PEM). */
  readonly tls?: { readonly key: string; readonly cert: string; readonly ca: string }
  /** Starts a sentinel instead, which monitors a Redis under the name `main`. */
  readonly sentinelOf?: RedisServer
  /** Further settings, as on the command line: `['--maxmemory-policy', 'allkeys-lru']`. */
  readonly settings?: readonly string[]
}

/** A real Redis on a free port of this machine, with its own folder. */
export interface RedisServer {
  readonly port: number
  /** As `redis://` URL. */
  readonly address: string
  /** One command, by `redis-cli`; the lines of its output. */
  command(...args: readonly string[]): Promise<string>
  /** Kills it, as a power failure would. */
  kill(): Promise<void>
  /** Starts it again after a `kill`, with the data on disk; a running one is killed first. */
  restart(): Promise<void>
  /**
   * Kills it and truncates its append-only file by at least this number of bytes, as a power failure does with `appendfsync everysec`. It cuts
   * after a whole script: Redis 7.0 leaves the beginning of one that is cut within a command in the file, and runs it with the next.
   */
  cutAof(bytes: number): Promise<void>
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

export interface RedisCluster {
  readonly nodes: readonly RedisServer[]
  /** As `redis+cluster://` URL. */
  readonly address: string
  stop(): Promise<void>
}

export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  requireRedis()
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-redis-'))
  // Another process may take the port before Redis does.
  for (let tries = 1; ; tries++) {
    const server = new LocalRedis(folder, await freePort(), options)
    try {
      await server.start()
      return server
    } catch (error) {
      if (tries < 5) continue
      await server.stop()
      throw error
    }
  }
}

export interface RedisClusterOptions {
  /** @default 3 */
  readonly primaries?: number
  /** A replica for each, which takes over when its primary is killed. @default false */
  readonly replicas?: boolean
}

/** Nodes that share all slots equally: the primaries, then their replicas in the same order. */
export async function startRedisCluster({
  primaries = 3,
  replicas = false,
}: RedisClusterOptions = {}): Promise<RedisCluster> {
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000']
  const count = replicas ? primaries * 2 : primaries
  const nodes = await Promise.all(Array.from({ length: count }, () => startRedis({ settings })))
  const [first] = nodes as [RedisServer, ...RedisServer[]]
  const end = (i: number) => Math.round((i * 16_384) / primaries)
  for (const [i, node] of nodes.slice(0, primaries).entries()) {
    await node.command('cluster', 'addslotsrange', String(end(i)), String(end(i + 1) - 1))
    await node.command('cluster', 'set-config-epoch', String(i + 1))
  }
  for (const node of nodes.slice(1)) await first.command('cluster', 'meet', '127.0.0.1', String(node.port))
  for (const [i, node] of nodes.slice(primaries).entries()) {
    const id = (await nodes[i]?.command('cluster', 'myid')) ?? ''
    // A node learns of the others by gossip.
    await until(async () => (await node.command('cluster', 'replicate', id)) === 'OK')
    await until(async () => (await node.command('info', 'replication')).includes('master_link_status:up'))
  }
  for (const node of nodes)
    await until(async () => (await node.command('cluster', 'info')).includes('cluster_state:ok'))
  return {
    nodes,
    address: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

/**
 * Installs Debian's package of `redis-server` if it is missing and we are allowed to.
 * @throws when there is none and it cannot be installed
 */
export function requireRedis(): void {
  if (!hasRedis()) installPackages('redis-server')
  if (!hasRedis())
    throw new Error('the tests of fleets need redis-server and redis-cli: install the package redis-server')
}

/** The end of a script in an append-only file. */
const EXEC = '*1\r\n$4\r\nEXEC\r\n'

class LocalRedis implements RedisServer {
  readonly port: number
  readonly #folder: string
  readonly #options: RedisServerOptions
  #process: ChildProcess | undefined
  readonly #killNow = () => this.#process?.kill('SIGKILL')

  constructor(folder: string, port: number, options: RedisServerOptions) {
    this.#folder = folder
    this.port = port
    this.#options = options
  }

  get address(): string {
    const { tls, password, sentinelOf } = this.#options
    if (sentinelOf !== undefined) return `redis+sentinel://127.0.0.1:${this.port}/main/0`
    const credentials = password === undefined ? '' : `:${password}@`
    return `${tls === undefined ? 'redis' : 'rediss'}://${credentials}127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const child = spawn('redis-server', await this.#arguments(), { stdio: 'ignore' })
    this.#process = child
    process.once('exit', this.#killNow)
    const ended = new AbortController()
    child.once('exit', () => ended.abort())
    await until(async () => (await this.command('ping')) === 'PONG', ended.signal).catch(async () => {
      throw new Error(
        `redis-server did not start: ${await readFile(this.#file('log'), 'utf8').catch(() => '')}`,
      )
    })
  }

  async command(...args: readonly string[]): Promise<string> {
    const { tls, password } = this.#options
    const access = [
      ...(password === undefined ? [] : ['--no-auth-warning', '-a', password]),
      ...(tls === undefined ? [] : ['--tls', '--cacert', this.#file('ca')]),
    ]
    const server = ['-h', '127.0.0.1', '-p', String(this.port)]
    const options = { maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)('redis-cli', [...server, ...access, ...args], options)
    return stdout.trim()
  }

  async kill(): Promise<void> {
    process.off('exit', this.#killNow)
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    this.#killNow()
    await ended
  }

  async restart(): Promise<void> {
    await this.kill()
    await this.start()
  }

  async cutAof(bytes: number): Promise<void> {
    const folder = join(this.#folder, 'appendonlydir')
    const name =
      (await readdir(folder))
        .filter((file) => file.endsWith('.incr.aof'))
        .sort()
        .at(-1) ?? ''
    const file = join(folder, name)
    const content = await readFile(file)
    const end = content.lastIndexOf(EXEC, Math.max(0, content.length - bytes))
    await truncate(file, end === -1 ? 0 : end + EXEC.length)
  }

  async stop(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #arguments(): Promise<string[]> {
    const { aof = false, password, tls, sentinelOf, settings = [] } = this.#options
    const shared = ['--bind', '127.0.0.1', '--dir', this.#folder, '--logfile', this.#file('log'), ...settings]
    const port = String(this.port)
    if (sentinelOf !== undefined) {
      await writeFile(this.#file('conf'), `sentinel monitor main 127.0.0.1 ${sentinelOf.port} 1\n`)
      return [this.#file('conf'), '--sentinel', '--port', port, ...shared]
    }
    if (tls !== undefined)
      for (const name of ['key', 'cert', 'ca'] as const) await writeFile(this.#file(name), tls[name])
    const secure = [
      ...['--port', '0', '--tls-port', port, '--tls-auth-clients', 'no', '--tls-key-file', this.#file('key')],
      ...['--tls-cert-file', this.#file('cert'), '--tls-ca-cert-file', this.#file('ca')],
    ]
    return [
      ...(tls === undefined ? ['--port', port] : secure),
      ...(password === undefined ? [] : ['--requirepass', password]),
      ...['--save', '', '--appendonly', aof ? 'yes' : 'no', '--appendfsync', 'always', ...shared],
    ]
  }

  #file(name: string): string {
    return join(this.#folder, `redis.${name}`)
  }
}

function hasRedis(): boolean {
  return ['redis-server', 'redis-cli'].every((name) => spawnSync(name, ['--version']).status === 0)
}

/** One whose cluster port, 10,000 above, exists, too. */
async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    server.close()
    await once(server, 'close')
    if (typeof address === 'object' && address !== null && address.port < 55_000) return address.port
  }
}

async function until(isSo: () => Promise<boolean>, given?: AbortSignal): Promise<void> {
  for (let tries = 0; tries < 400 && given?.aborted !== true; tries++) {
    if (await isSo().catch(() => false)) return
    await sleep(25)
  }
  throw new Error('Redis did not get ready')
}
