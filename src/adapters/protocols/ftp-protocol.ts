import { isIP } from 'node:net'
import { Writable } from 'node:stream'
import type { Client } from 'basic-ftp'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { Protocol, ProtocolRequest, ProtocolResponse } from '../../domain/fetch/protocol.ts'
import { refusal } from '../http/failure.ts'
import { type PrivateAccess, permittedAddresses } from '../http/permitted-addresses.ts'
import { defaultResolve, type Resolve } from '../http/resolve.ts'
import { directoryPage, MAX_ENTRIES } from './directory-page.ts'

export interface FtpProtocolOptions {
  /** Hosts that may have addresses which are not globally routable. @default none */
  readonly allowPrivateHosts?: (host: string) => PrivateAccess
  /** @default DNS, and the operating system for allowed hosts */
  readonly resolve?: Resolve
  /** Maximum time without data. @default 15000 */
  readonly bodyTimeoutMs?: number
}

/** @throws ConfigurationError if the package is not installed */
export async function openFtpProtocol(options: FtpProtocolOptions): Promise<FtpProtocol> {
  try {
    const { Client, FTPError } = await import('basic-ftp')
    const isReply = (error: unknown): error is { code: number } => error instanceof FTPError
    return new FtpProtocol((timeoutMs, settings) => new Client(timeoutMs, settings), isReply, options)
  } catch {
    throw new ConfigurationError(
      'SETTING_INVALID',
      'ftp: URLs need the package basic-ftp: npm install basic-ftp',
    )
  }
}

type CreateClient = (
  timeoutMs: number,
  options: { allowSeparateTransferHost: boolean; maxListingBytes: number },
) => Client

/** A listing of 100,000 files has about 10 MB. */
const MAX_LISTING_BYTES = 32 * 1024 * 1024

/**
 * Fetches files by FTP as an anonymous user, and lists directories as pages with links. Addresses are checked as for HTTP, and data comes
 * from the address of the control connection alone.
 */
export class FtpProtocol implements Protocol {
  /** RFC 9309 names FTP, too. */
  readonly hasRobots = true
  readonly #createClient: CreateClient
  readonly #isReply: (error: unknown) => error is { code: number }
  readonly #options: FtpProtocolOptions
  readonly #allowPrivateHosts: (host: string) => PrivateAccess
  readonly #resolve: Resolve
  /** One connection per host that waits for the next request. */
  readonly #idle = new Map<string, Client>()

  constructor(
    createClient: CreateClient,
    isReply: (error: unknown) => error is { code: number },
    options: FtpProtocolOptions,
  ) {
    const { allowPrivateHosts = () => false } = options
    this.#createClient = createClient
    this.#isReply = isReply
    this.#options = options
    this.#allowPrivateHosts = allowPrivateHosts
    this.#resolve = options.resolve ?? defaultResolve(allowPrivateHosts)
  }

  async fetch(request: ProtocolRequest): Promise<ProtocolResponse> {
    const url = new URL(request.url)
    const path = pathOf(url)
    if (path === undefined) return { status: 404 }
    if (!isUsablePort(url.port)) throw refusal('port', `port ${url.port} is not a port of FTP`)
    const client = this.#idle.get(url.host) ?? (await this.#connect(url))
    this.#idle.delete(url.host)
    const abort = () => client.close()
    request.signal.addEventListener('abort', abort)
    try {
      const response = path.endsWith('/')
        ? await this.#directory(client, path)
        : await this.#file(client, path, request)
      this.#keep(url.host, client)
      return response
    } catch (error) {
      if (!this.#isReply(error)) {
        client.close()
        throw error
      }
      this.#keep(url.host, client)
      return { status: statusOf(error.code) }
    } finally {
      request.signal.removeEventListener('abort', abort)
    }
  }

  close(): Promise<void> {
    for (const client of this.#idle.values()) client.close()
    this.#idle.clear()
    return Promise.resolve()
  }

  #keep(host: string, client: Client): void {
    if (client.closed) return
    this.#idle.get(host)?.close()
    this.#idle.set(host, client)
  }

  async #connect({ hostname, port }: URL): Promise<Client> {
    const host = hostname.replace(/^\[|\]$/g, '')
    const family = isIP(host)
    const resolution =
      family === 0
        ? await this.#resolve(host)
        : {
            ok: true as const,
            addresses: [{ address: host, family: family === 6 ? (6 as const) : (4 as const) }],
          }
    if (!resolution.ok) throw new Error(`${host}: ${resolution.detail}`)
    const [first] = permittedAddresses(host, resolution.addresses, this.#allowPrivateHosts)
    if (first === undefined) throw new Error(`${host}: no address`)
    const client = this.#createClient(this.#options.bodyTimeoutMs ?? 15_000, {
      allowSeparateTransferHost: false,
      maxListingBytes: MAX_LISTING_BYTES,
    })
    try {
      await client.access({ host: first.address, port: port === '' ? 21 : Number(port) })
    } catch (error) {
      client.close()
      throw error
    }
    return client
  }

  async #directory(client: Client, path: string): Promise<ProtocolResponse> {
    await client.cd(path)
    const entries = await client.list()
    const listed = entries
      .filter(({ name, isDirectory, isFile }) => (isDirectory || isFile) && !/[/\0\r\n]|^\.\.?$/.test(name))
      .slice(0, MAX_ENTRIES)
    return { status: 200, ...directoryPage(path, listed), truncated: listed.length === MAX_ENTRIES }
  }

  async #file(
    client: Client,
    path: string,
    { validators, maxBodyBytes }: ProtocolRequest,
  ): Promise<ProtocolResponse> {
    const modified = await this.#unlessRefused(client.lastMod(path))
    const headers: [string, string][] =
      modified === undefined ? [] : [['last-modified', modified.toUTCString()]]
    const [known] = headers
    if (known !== undefined && validators?.lastModified === known[1]) return { status: 304, headers }
    if (modified === undefined && (await this.#unlessRefused(client.cd(path))) !== undefined)
      return { status: 301, headers: [['location', `${encodePath(path)}/`]] }
    const body = new LimitedBody(maxBodyBytes)
    try {
      await client.downloadTo(body, path)
    } catch (error) {
      // The transfer was ended here: the connection cannot be used again.
      if (!body.isFull) throw error
      client.close()
    }
    return { status: 200, headers, body: body.bytes(), truncated: body.isFull }
  }

  /** `undefined` if the server refuses: it may not support the command, or the path may be a directory. */
  async #unlessRefused<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work
    } catch (error) {
      if (this.#isReply(error)) return undefined
      throw error
    }
  }
}

/** Ports of other services must not get commands of FTP. */
function isUsablePort(port: string): boolean {
  return port === '' || Number(port) >= 1024
}

/** `undefined` for a path that would end the line of a command. */
function pathOf({ pathname }: URL): string | undefined {
  try {
    const path = decodeURIComponent(pathname)
    return /[\0-\x1f\x7f]/.test(path) ? undefined : path
  } catch {
    return undefined
  }
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** 4xx replies are transient, 5xx are permanent (RFC 959, 4.2). */
function statusOf(code: number): number {
  if (code === 530 || code === 532) return 403
  return code >= 500 ? 404 : 503
}

/** Keeps the first bytes, and ends the transfer when there are more. */
class LimitedBody extends Writable {
  readonly #maxBytes: number
  readonly #chunks: Buffer[] = []
  #length = 0
  isFull = false

  constructor(maxBytes: number) {
    super()
    this.#maxBytes = maxBytes
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    const room = this.#maxBytes - this.#length
    const kept = chunk.subarray(0, room)
    this.#chunks.push(kept)
    this.#length += kept.length
    this.isFull = chunk.length > room
    done(this.isFull ? new Error('the body is longer than allowed') : undefined)
  }

  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#chunks))
  }
}
