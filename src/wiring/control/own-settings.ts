import { readFile } from 'node:fs/promises'
import { loadConfigFile } from '../../adapters/config/load-config-file.ts'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { JsonObject } from '../../base/json.ts'
import { ownSettingsFile } from './operator-options.ts'

/** `orbweaver.config.json` of a crawl directory, as it is written; `{}` without one. @throws ConfigurationError if it is not valid */
export async function readOwnSettings(directory: string): Promise<JsonObject> {
  const file = ownSettingsFile(directory)
  const text = await ifExists(readFile(file, 'utf8'))
  if (text === undefined) return {}
  await loadConfigFile(file)
  return JSON.parse(text.replace(/^\ufeff/, '')) as JsonObject
}

export async function writeOwnSettings(directory: string, settings: JsonObject): Promise<void> {
  await replaceFile(ownSettingsFile(directory), [`${JSON.stringify(settings, undefined, 2)}\n`])
}
