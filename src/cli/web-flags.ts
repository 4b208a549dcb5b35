import type { Command } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { byteSize, collected, headerField, positiveSeconds, seconds } from './option-values.ts'

/** The flags of every command that asks the web. None has a default here: what is not given is the configuration's to say. */
export interface WebFlags {
  readonly config?: string
  readonly agent?: string
  readonly contact?: string
  readonly email?: string
  readonly header?: Readonly<Record<string, string>>
  readonly proxy?: string
  readonly timeout?: number
  readonly maxBytes?: number
  readonly http2: boolean
  readonly cookies?: boolean
  readonly allowHost?: readonly string[]
  readonly insecureHost?: readonly string[]
  readonly delay?: number
  readonly rules?: string
}

export function addWebOptions(command: Command): Command {
  return addConfigOption(command)
    .option(
      '--agent <name>',
      'the name sites and robots.txt know the crawler by (default: orbweaver; or ORBWEAVER_AGENT)',
    )
    .option('--contact <url>', 'a page about your crawler, sent along (or ORBWEAVER_CONTACT)')
    .option('--email <address>', 'where site owners can write to, sent along (or ORBWEAVER_EMAIL)')
    .option('--delay <seconds>', 'minimum delay between requests to the same host (default: 1)', seconds)
    .option('--rules <file>', 'URL rules in place of the built-in ones: lines of +regex and -regex')
    .option('--header <name: value>', 'send this header too; may be repeated', headerField)
    .option('--proxy <url>', 'http, https or socks5 proxy (or ORBWEAVER_PROXY)')
    .option('--timeout <seconds>', 'longest time for one request (default: 60)', positiveSeconds)
    .option(
      '--max-bytes <size>',
      'longest body kept, decoded; what is longer is cut (default: 10m)',
      byteSize,
    )
    .option('--no-http2', 'speak HTTP/1.1 only')
    .option('--cookies', 'keep and send cookies')
    .option(
      '--allow-host <host>',
      'a host that may have a private address, besides seeds that had one when given; may be repeated',
      collected,
    )
    .option('--insecure-host <host>', 'a host whose certificate is not checked; may be repeated', collected)
}

export function addConfigOption(command: Command): Command {
  return command.option(
    '--config <file>',
    'configuration file (default: orbweaver.config.* here, or a .json one in or above the crawl)',
  )
}

/** What the flags set, and nothing they leave out. */
export function webConfig(flags: WebFlags): OrbweaverConfig {
  const { agent, contact, email, header, proxy, timeout, maxBytes, http2, cookies, delay, rules } = flags
  return {
    agent: withoutUndefined({ name: agent, contactUrl: contact, email }),
    http: {
      ...withoutUndefined({ headers: header, proxy }),
      ...(timeout !== undefined && { timeoutSeconds: timeout / 1000 }),
      ...withoutUndefined({ maxBodyBytes: maxBytes }),
      ...(!http2 && { http2 }),
      ...withoutUndefined({ cookies }),
      ...(flags.allowHost !== undefined && { allowPrivateHosts: [...flags.allowHost] }),
      ...(flags.insecureHost !== undefined && { insecureHosts: [...flags.insecureHost] }),
    },
    politeness: { ...(delay !== undefined && { delaySeconds: delay / 1000 }) },
    filters: withoutUndefined({ rules }),
  }
}
