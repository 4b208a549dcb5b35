import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { OrbweaverConfig } from '../../adapters/config/config-schema.ts'
import { loadConfigFile } from '../../adapters/config/load-config-file.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { OpenCrawlOptions } from '../cycle-options.ts'

/** What the operator of the server decides for all crawls, as plain data that can be sent to the process of a job. */
export interface OperatorOptions {
  /** Absolute path of the configuration that the settings of each crawl extend. */
  readonly config?: string
  /** Hosts that seeds may name although they have private addresses. */
  readonly allowHosts: readonly string[]
  /** Memory limit of the database of each crawl, in megabytes. */
  readonly memoryMb?: number
}

/**
 * Options of `openCrawl` for a crawl of the server: the configuration of the operator, and the settings of the crawl. Clients name the seeds, so that a
 * seed alone gives no access to a private address.
 */
export async function openOptionsOf(directory: string, operator: OperatorOptions): Promise<OpenCrawlOptions> {
  const { config, memoryMb, allowHosts } = operator
  const own = await ownSettings(directory)
  const operators: OrbweaverConfig = config === undefined ? {} : await loadConfigFile(config)
  const allowPrivateHosts = [
    ...new Set([
      ...allowHosts,
      ...(operators.http?.allowPrivateHosts ?? []),
      ...(own.http?.allowPrivateHosts ?? []),
    ]),
  ]
  return {
    ...own,
    ...withoutUndefined({ config, memoryMb }),
    http: {
      ...own.http,
      allowPrivateSeeds: false,
      ...(allowPrivateHosts.length > 0 && { allowPrivateHosts }),
    },
    command: 'serve --control',
  }
}

/** The file in a crawl directory that the control API changes. */
export function ownSettingsFile(directory: string): string {
  return join(directory, 'orbweaver.config.json')
}

async function ownSettings(directory: string): Promise<OrbweaverConfig> {
  const file = ownSettingsFile(directory)
  return existsSync(file) ? loadConfigFile(file) : {}
}
