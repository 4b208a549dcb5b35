import { type Command, Option } from 'commander'
import { HttpFetcher } from '../http/http-fetcher.ts'
import { byteSize, collected, headerField, positiveSeconds } from './option-values.ts'

/** The flags of every command that asks the web. */
export interface HttpFlags {
  readonly agent: string
  readonly contact?: string
  readonly email?: string
  readonly header?: Readonly<Record<string, string>>
  readonly proxy?: string
  readonly timeout: number
  readonly maxBytes: number
  readonly http2: boolean
  readonly cookies: boolean
  readonly allowHost: readonly string[]
  readonly insecureHost: readonly string[]
}

export function addHttpOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--agent <name>', 'the name sites and robots.txt know the crawler by')
        .env('ORBWEAVER_AGENT')
        .default('orbweaver'),
    )
    .addOption(
      new Option('--contact <url>', 'a page about your crawler, sent along').env('ORBWEAVER_CONTACT'),
    )
    .addOption(
      new Option('--email <address>', 'where site owners can write to, sent along').env('ORBWEAVER_EMAIL'),
    )
    .option('--header <name: value>', 'send this header too; may be repeated', headerField)
    .addOption(new Option('--proxy <url>', 'http, https or socks5 proxy').env('ORBWEAVER_PROXY'))
    .option('--timeout <seconds>', 'longest time for one request', positiveSeconds, 60_000)
    .option(
      '--max-bytes <size>',
      'longest body kept, decoded; what is longer is cut',
      byteSize,
      10 * 1024 * 1024,
    )
    .option('--no-http2', 'speak HTTP/1.1 only')
    .option('--cookies', 'keep and send cookies', false)
    .option('--allow-host <host>', 'a host that may have a private address; may be repeated', collected, [])
    .option(
      '--insecure-host <host>',
      'a host whose certificate is not checked; may be repeated',
      collected,
      [],
    )
}

/** @param named hosts the user named in other ways: they may have a private address too */
export function httpFetcher(
  flags: HttpFlags,
  version: string,
  named: readonly string[],
  onWarning: (message: string) => void,
): HttpFetcher {
  const privateHosts = new Set([...named, ...flags.allowHost].map((host) => host.toLowerCase()))
  return new HttpFetcher({
    agent: {
      name: flags.agent,
      version,
      ...(flags.contact !== undefined && { contactUrl: flags.contact }),
      ...(flags.email !== undefined && { email: flags.email }),
    },
    headers: flags.header ?? {},
    maxBodyBytes: flags.maxBytes,
    maxDeclaredBytes: Math.max(100 * 1024 * 1024, flags.maxBytes),
    totalTimeoutMs: flags.timeout,
    headersTimeoutMs: Math.min(20_000, flags.timeout),
    connectTimeoutMs: Math.min(10_000, flags.timeout),
    http2: flags.http2,
    cookies: flags.cookies,
    insecureHosts: flags.insecureHost,
    allowPrivateHosts: (host) => privateHosts.has(host),
    ...(flags.proxy !== undefined && { proxy: { url: flags.proxy } }),
    onWarning,
  })
}
