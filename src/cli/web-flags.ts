import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { RENDER_MODES, type RenderMode } from '../domain/fetch/page-renderer.ts'
import { addOptionGroup } from './help-notes.ts'
import { byteSize, collected, headerField, positiveSeconds, seconds } from './option-values.ts'

/** Flags of all commands that send requests. Defaults come from the configuration. */
export interface WebFlags {
  readonly config?: string
  readonly agent?: string
  readonly contact?: string
  readonly email?: string
  readonly header?: Readonly<Record<string, string>>
  readonly proxy?: readonly string[]
  readonly timeout?: number
  readonly maxBytes?: number
  readonly http2: boolean
  readonly cookies?: boolean
  readonly allowHost?: readonly string[]
  readonly insecureHost?: readonly string[]
  readonly allowFiles?: readonly string[]
  readonly allowFtp?: boolean
  readonly delay?: number
  readonly rules?: string
  readonly render?: RenderMode
  readonly aiUseFiles?: boolean
}

export function addWebOptions(command: Command): Command {
  addOptionGroup(command, 'Politeness', (group) =>
    group
      .option('--delay <seconds>', 'Minimum delay between requests to the same host (default: 1)', seconds)
      .option(
        '--agent <name>',
        'Name of the crawler in User-Agent and for robots.txt (default: ORBWEAVER_AGENT, or orbweaver)',
      )
      .option(
        '--contact <url>',
        'Page about your crawler, sent in User-Agent (default: ORBWEAVER_CONTACT, or none)',
      )
      .option(
        '--email <address>',
        'Address for site owners, sent with every request (default: ORBWEAVER_EMAIL, or none)',
      )
      .option(
        '--ai-use-files',
        'Also read the AI-use preferences in /ai.txt and /.well-known/tdmrep.json of each host',
      ),
  )
  addOptionGroup(command, 'HTTP', (group) =>
    group
      .option('--header <name: value>', 'Additional request header; repeatable', headerField)
      .option(
        '--proxy <url>',
        'HTTP, HTTPS or SOCKS5 proxy; repeatable (default: ORBWEAVER_PROXY, or none)',
        collected,
      )
      .option('--timeout <seconds>', 'Maximum time per request (default: 60)', positiveSeconds)
      .option(
        '--max-bytes <size>',
        'Maximum decoded body size; longer bodies are truncated (default: 10m)',
        byteSize,
      )
      .option('--no-http2', 'Use HTTP/1.1 only')
      .option('--cookies', 'Store cookies and send them back')
      .option(
        '--allow-host <host>',
        'Host that may resolve to a private address, as seeds may; repeatable',
        collected,
      )
      .option('--insecure-host <host>', 'Host whose TLS certificate is not verified; repeatable', collected),
  )
  addOptionGroup(command, 'Other protocols', (group) =>
    group
      .option(
        '--allow-files <folder>',
        'Folder whose files may be read by file: URLs of seeds; repeatable (default: none)',
        collected,
      )
      .option('--allow-ftp', 'Fetch ftp: URLs of seeds (default: no)'),
  )
  return addOptionGroup(addConfigOption(command), 'General', (group) =>
    group.option('--rules <file>', 'URL filter rules: lines of +regex and -regex (default: built-in rules)'),
  )
}

/** For commands that crawl. */
export function addRenderOption(command: Command): Command {
  return addOptionGroup(command, 'HTTP', (group) =>
    group.addOption(
      new Option(
        '--render <mode>',
        'Render pages in a browser: never, auto (pages that look like JavaScript apps) or always (default: never)',
      ).choices(RENDER_MODES),
    ),
  )
}

export function addConfigOption(command: Command): Command {
  return addOptionGroup(command, 'General', (group) =>
    group.option(
      '--config <file>',
      'Configuration file (default: orbweaver.config.* in this directory or above the crawl)',
    ),
  )
}

/** The settings that the flags set. */
export function webConfig(flags: WebFlags): OrbweaverConfig {
  const { agent, contact, email, header, proxy, timeout, maxBytes, http2, cookies, delay, rules } = flags
  return {
    agent: withoutUndefined({ name: agent, contactUrl: contact, email }),
    http: {
      ...withoutUndefined({ headers: header }),
      ...(proxy !== undefined && { proxy: proxy.length === 1 ? (proxy[0] ?? '') : [...proxy] }),
      ...(timeout !== undefined && { timeoutSeconds: timeout / 1000 }),
      ...withoutUndefined({ maxBodyBytes: maxBytes }),
      ...(!http2 && { http2 }),
      ...withoutUndefined({ cookies }),
      ...(flags.allowHost !== undefined && { allowPrivateHosts: [...flags.allowHost] }),
      ...(flags.insecureHost !== undefined && { insecureHosts: [...flags.insecureHost] }),
    },
    politeness: { ...(delay !== undefined && { delaySeconds: delay / 1000 }) },
    filters: withoutUndefined({ rules }),
    ...(flags.aiUseFiles !== undefined && { robots: { aiUseFiles: flags.aiUseFiles } }),
    ...((flags.allowFiles !== undefined || flags.allowFtp === true) && {
      protocols: {
        ...(flags.allowFiles !== undefined && {
          file: { roots: flags.allowFiles.map((path) => resolve(path)) },
        }),
        ...(flags.allowFtp === true && { ftp: true }),
      },
    }),
    ...(flags.render !== undefined && { render: { mode: flags.render } }),
  }
}
