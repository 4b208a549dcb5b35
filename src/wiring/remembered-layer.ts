import { checkConfig } from '../adapters/config/complete-config.ts'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { readStoredSettings, settingsFile } from '../adapters/crawl-directory/settings-file.ts'
import { withoutUndefined } from '../base/without-undefined.ts'

/** What a crawl directory remembers of its last run, for commands that do not have its flags. */
export interface RememberedLayer {
  readonly remembered?: OrbweaverConfig
  /** The configuration file that the run named; never code. */
  readonly configFile?: string
}

/** @throws ConfigurationError for a file that is damaged, of a newer version, or has an invalid setting */
export async function rememberedLayer(crawlDirectory: string): Promise<RememberedLayer> {
  const stored = await readStoredSettings(crawlDirectory)
  if (stored === undefined) return {}
  const configFile = stored.flags.find(
    ([name, value]) => name === '--config' && value?.endsWith('.json'),
  )?.[1]
  return {
    remembered: checkConfig(stored.settings, settingsFile(crawlDirectory)),
    ...withoutUndefined({ configFile }),
  }
}
