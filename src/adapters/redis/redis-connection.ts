import { setTimeout as sleep } from 'node:timers/promises'
import {
  createClient,
  createCluster,
  createSentinel,
  ErrorReply,
  type RedisClientOptions,
} from '@redis/client'
import { appendAll } from '../../base/append-all.ts'
import { steadyClock } from '../../base/clock.ts'
import { ConfigurationError, CrawlError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { backOffMs, isOutage, type OutageListener } from './outage.ts'
import type { RedisAddress } from './redis-address.ts'
import { SCRIPTS, type Script } from './redis-scripts.ts'

export interface RedisConnectionOptions extends Partial<OutageListener> {
  /** Each is used where the address has none. */
  readonly credentials?: RedisCredentials
  /** For `rediss:`, as PEM: whom to trust in place of what the system trusts, and the certificate to show. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** The first connection must be there after this; one that is lost later is waited for without end. @default 10000 */
  readonly connectTimeoutMs?: number
}

export interface RedisCredentials {
  readonly user?: string
  readonly password?: string
  /** Of the sentinels. */
  readonly sentinelUser?: string
  readonly sentinelPassword?: string
}

/** One connection to Redis: what is called at the same time goes out together. Callers wait while Redis is away. */
export interface RedisConnection {
  readonly isCluster: boolean
  /**
   * When the connection breaks before the reply has come, the script is run again: it must know a call that it has had already.
   * @throws ConnectionClosed
   */
  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>
  close(): void
}

/** A connection that can also look for keys. */
export interface SearchableConnection extends RedisConnection {
  /**
   * The names of all keys that match a glob-style pattern. Redis goes through all its keys, a thousand at a time.
   * @throws if Redis is unreachable
   */
  keysLike(pattern: string): Promise<string[]>
}

/**
 * The connection to Redis was closed while a call was waiting.
 * Remedy: Run the command again.
 */
export class ConnectionClosed extends CrawlError {
  readonly code = 'REDIS_CLOSED'
  readonly retryable = false
}

/**
 * There is no Redis at this address.
 * Remedy: Start it, or correct `--redis`; `orbweaver doctor --redis` checks the connection.
 */
export class RedisUnreachable extends CrawlError {
  readonly code = 'REDIS_UNREACHABLE'
  readonly retryable = true
}

/** @throws RedisUnreachable, ConfigurationError */
export async function connectRedis(
  address: RedisAddress,
  options: RedisConnectionOptions = {},
): Promise<SearchableConnection> {
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS, tls = {} } = options
  // With certificates given, sending the password in the clear would be a mistake.
  if (!address.secure && Object.keys(tls).length > 0)
    throw new ConfigurationError(
      'REDIS_UNSUITABLE',
      `certificates are for TLS, and ${address.shown} is without: write rediss in place of redis, or leave out redis.caFile, certFile and keyFile`,
    )
  const connection = new ClientConnection(address, options)
  const tooLate = new AbortController()
  try {
    await Promise.race([
      connection.open(),
      sleep(connectTimeoutMs, undefined, { signal: tooLate.signal }).then(() => {
        throw connection.lastError ?? new Error(`no response after ${connectTimeoutMs / 1000} s`)
      }),
    ])
    if (address.kind === 'single') await connection.findMaster()
  } catch (cause) {
    connection.close()
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
    throw new RedisUnreachable(
      `cannot connect to Redis at ${address.shown}: ${reason}. Look whether it runs there (redis-cli ping), listens on that address (bind, protected-mode), and whether user, password and TLS are right`,
      { cause },
    )
  } finally {
    tooLate.abort()
  }
  connection.tell(options)
  return connection
}

/**
 * Redis rejects the user, the password or a command.
 * Remedy: Check `redis.user` and `redis.password`; [Fleet](fleet.md) has the permissions that a crawl needs.
 *
 * The call would fail again.
 */
export class RedisRefused extends CrawlError {
  readonly code = 'REDIS_REFUSED'
  readonly retryable = false
}

const CONNECT_TIMEOUT_MS = 10_000

/** What the three kinds of clients have in common. */
interface Client {
  connect(): Promise<unknown>
  destroy(): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/**
 * Sends a command to where its key is. Not by the client's methods for each command: these pass the arguments to a function one by one, and its stack has
 * no room for some ten thousand.
 */
type Send = (key: string, command: string[]) => Promise<unknown>

/** Sends a command to each server that has a part of the keys. */
type SendToEach = <T>(work: (send: (command: string[]) => Promise<unknown>) => Promise<T>) => Promise<T[]>

class ClientConnection implements SearchableConnection {
  readonly isCluster: boolean
  lastError: Error | undefined
  readonly #client: Client
  readonly #send: Send
  readonly #onEach: SendToEach
  readonly #closed = new AbortController()
  readonly #shown: string
  readonly #connectTimeoutMs: number
  #listener: Partial<OutageListener> = {}
  #isAway = false
  /** Calls that Redis refused, and that wait to be made again. */
  #refused = 0
  /** When it was connected to a replica: the master of that, and until when a call waits for it to become one. */
  #replica: { readonly master: string; readonly until: number } | undefined

  constructor(address: RedisAddress, options: RedisConnectionOptions) {
    this.isCluster = address.kind === 'cluster'
    this.#shown = address.shown
    this.#connectTimeoutMs = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS
    const { client, send, onEach } = clientOf(address, options)
    this.#client = client
    this.#send = send
    this.#onEach = onEach
    this.#client.on('error', (error) => {
      this.lastError = error
      this.#wentAway(error)
    })
  }

  /** For later failures; a failure to connect is thrown by the function that opens the connection. */
  tell(listener: Partial<OutageListener>): void {
    this.#isAway = false
    this.#listener = listener
  }

  async open(): Promise<void> {
    await this.#client.connect()
  }

  /** A replica can be read. Whether it was one from the beginning decides how long a call that writes is waited for. */
  async findMaster(): Promise<void> {
    // Without the right to look, or while it loads its data, it is taken for a master.
    const info = await this.#evaluate(SCRIPTS.replication, [], []).catch(() => '')
    const [, host, port] =
      /\brole:slave\b.*?\bmaster_host:(\S+).*?\bmaster_port:(\d+)/s.exec(String(info)) ?? []
    if (host !== undefined)
      this.#replica = { master: `${host}:${port}`, until: steadyClock.now() + this.#connectTimeoutMs }
  }

  async run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    let isRefused = false
    const refused = (now: boolean) => {
      this.#refused += Number(now) - Number(isRefused)
      isRefused = now
    }
    try {
      return await this.#runUntilDone(script, keys, args, refused)
    } finally {
      refused(false)
    }
  }

  async #runUntilDone(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    refused: (now: boolean) => void,
  ): Promise<unknown> {
    for (let failures = 1; ; failures++) {
      try {
        const reply = await this.#evaluate(script, keys, args)
        // It writes now: from here on, it is waited for as any other.
        if (failures > 1) this.#replica = undefined
        refused(false)
        if (this.#isAway && this.#refused === 0) this.#cameBack()
        return reply
      } catch (error) {
        if (this.#closed.signal.aborted) throw new ConnectionClosed('the connection to Redis was closed')
        if (isForbidden(error))
          throw new ConfigurationError(
            'REDIS_UNSUITABLE',
            `the user may not do on this Redis what a crawl needs: ${error.message}. docs/fleet.md, Security, has the ACL it must have`,
            { cause: error },
          )
        if (isWrongType(error))
          throw new ConfigurationError(
            'REDIS_UNSUITABLE',
            `Redis holds something else than the crawl needs, under one of its keys: ${error.message.replace(/^WRONGTYPE /, '')}. Look at the keys that the section redis of the configuration names, or clear the crawl`,
            { cause: error },
          )
        if (!isOutage(error))
          throw new RedisRefused(`Redis refused ${script.name}: ${String(error)}`, { cause: error })
        if (error instanceof ErrorReply) refused(true)
        if (!this.#isReplica(error)) this.#wentAway(error)
        await sleep(backOffMs(failures, Math.random()), undefined, { signal: this.#closed.signal }).catch(
          () => {},
        )
      }
    }
  }

  async keysLike(pattern: string): Promise<string[]> {
    const found = await this.#onEach(async (send) => {
      const names: string[] = []
      let cursor = '0'
      do {
        const reply = await send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000'])
        const [next, some] = reply as [string, string[]]
        appendAll(names, some)
        cursor = next
      } while (cursor !== '0')
      return names
    })
    // A key that moves between two servers meanwhile is found twice.
    return [...new Set(found.flat())]
  }

  close(): void {
    if (this.#closed.signal.aborted) return
    this.#closed.abort()
    try {
      this.#client.destroy()
    } catch {
      // It was closed already, or never open.
    }
  }

  /** @throws RedisUnreachable when it has been a replica for too long */
  #isReplica(error: Error): boolean {
    if (this.#replica === undefined || !/\bREADONLY\b/.test(error.message)) return false
    const { master, until } = this.#replica
    if (steadyClock.now() < until) return true
    throw new RedisUnreachable(
      `the Redis at ${this.#shown} is a read-only replica: give the address of its master (${master}), or that of its sentinels (redis+sentinel:)`,
      { cause: error },
    )
  }

  #wentAway(error: Error): void {
    if (this.#closed.signal.aborted) return
    this.#isAway = true
    this.#listener.onOutage?.(error)
  }

  #cameBack(): void {
    this.#isAway = false
    this.#listener.onBack?.()
  }

  async #evaluate(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const [key = ''] = keys
    // While a slot moves to another node, neither node has all of its keys, and a script would find some missing. Redis refuses a call with two keys
    // of which one is missing (TRYAGAIN): the base of a crawl is never a key, and with a second name no script runs before the slot has moved.
    const names = this.isCluster && keys.length === 1 ? [key, `${key}:`] : keys
    const callArguments = [String(names.length), ...names, ...args]
    try {
      return await this.#send(key, ['EVALSHA', script.sha, ...callArguments])
    } catch (error) {
      // A server that was restarted, or another one of the cluster.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return this.#send(key, ['EVAL', script.source, ...callArguments])
    }
  }
}

function isForbidden(error: unknown): error is Error {
  return error instanceof Error && /\bNOPERM\b/.test(error.message)
}

/** Others may have written to the key. */
function isWrongType(error: unknown): error is Error {
  return error instanceof Error && /\bWRONGTYPE\b/.test(error.message)
}

function clientOf(
  address: RedisAddress,
  { tls, credentials = {} }: RedisConnectionOptions,
): { readonly client: Client; readonly send: Send; readonly onEach: SendToEach } {
  const secure = address.secure && { tls: true as const, ...tls }
  const options = {
    ...login(address.user ?? credentials.user, address.password ?? credentials.password),
    socket: {
      reconnectStrategy: (retries: number) => backOffMs(retries + 1, Math.random()),
      keepAlive: true,
      ...secure,
    },
  } satisfies RedisClientOptions
  switch (address.kind) {
    case 'single': {
      const client = createClient({
        ...options,
        database: address.database,
        socket: { ...options.socket, ...address.nodes[0] },
      })
      const send = (command: string[]) => client.sendCommand(command)
      return { client, send: (_, command) => send(command), onEach: async (work) => [await work(send)] }
    }
    case 'cluster': {
      const client = createCluster({
        rootNodes: address.nodes.map((node) => ({ socket: { ...options.socket, ...node } })),
        defaults: options,
      })
      return {
        client,
        send: (key, command) => client.sendCommand(key, false, command),
        onEach: (work) =>
          Promise.all(
            client.masters.map(async (master) => {
              const node = await client.nodeClient(master)
              return work((command) => node.sendCommand(command))
            }),
          ),
      }
    }
    case 'sentinel': {
      const client = createSentinel({
        name: address.master,
        sentinelRootNodes: address.nodes.map((node) => ({ ...node })),
        nodeClientOptions: { ...options, database: address.database },
        sentinelClientOptions: {
          ...login(credentials.sentinelUser, credentials.sentinelPassword),
          ...(secure !== false && { socket: secure }),
        },
        passthroughClientErrorEvents: true,
      })
      const send = (command: string[]) => client.sendCommand(false, command)
      return { client, send: (_, command) => send(command), onEach: async (work) => [await work(send)] }
    }
  }
}

function login(username: string | undefined, password: string | undefined) {
  return withoutUndefined({ username, password })
}
