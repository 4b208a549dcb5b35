import { findConfigFile } from '../../adapters/config/find-config-file.ts'
import { loadConfigFile } from '../../adapters/config/load-config-file.ts'
import { openApiDocument } from '../../adapters/serve/control/open-api-document.ts'
import { isLoopback } from '../../adapters/serve/request-guards.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { JsonObject } from '../../base/json.ts'
import { packageVersion } from '../../base/package-version.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { type CrawlServer, type ServeDirectoriesOptions, serveEntries } from '../serve-crawls.ts'
import { apiSettingsSchema } from './api-settings.ts'
import { ControlledCrawls } from './controlled-crawls.ts'
import { CrawlFolder } from './crawl-folder.ts'
import { JobProcesses } from './job-processes.ts'
import type { OperatorOptions } from './operator-options.ts'
import { ServedFolder } from './served-folder.ts'

export interface ServeControlOptions extends ServeDirectoriesOptions {
  /** Hosts that seeds may name although they have private addresses. */
  readonly allowHosts: readonly string[]
}

/**
 * Starts the server with the control API.
 * @param path a folder of crawl directories, or one crawl directory
 * @throws ConfigurationError
 */
export async function serveControl(path: string, options: ServeControlOptions): Promise<CrawlServer> {
  const { host, token, memory, allowHosts, onFailure } = options
  if (token === undefined && !isLoopback(host.toLowerCase()))
    throw new ConfigurationError(
      'OPTION_INVALID',
      `other machines can reach ${host}: with --control, choose a token with --token-file or ORBWEAVER_SERVE_TOKEN`,
    )
  const folder = CrawlFolder.open(path)
  const { file: config } = findConfigFile({
    ...withoutUndefined({ named: options.config }),
    ...{ crawlDirectory: folder.path, currentDirectory: process.cwd() },
  })
  // An invalid configuration is an error at start.
  if (config !== undefined) await loadConfigFile(config)
  const operator: OperatorOptions = { allowHosts, ...withoutUndefined({ config, memoryMb: memory }) }
  const served = new ServedFolder(folder, memory)
  const jobs = new JobProcesses(operator, onFailure)
  const control = new ControlledCrawls({ folder, served, jobs, operator })
  const server = await serveEntries(served.entries, {
    ...options,
    control: { control, openApi: controlApi() },
  })
  const close = async () => {
    await server.close()
    await jobs.close()
    await served.close()
  }
  return { ...server, sources: [], close }
}

/** The OpenAPI document, as in docs/openapi.json. */
export function controlApi(): JsonObject {
  return openApiDocument({ version: packageVersion(), settings: apiSettingsSchema() })
}
