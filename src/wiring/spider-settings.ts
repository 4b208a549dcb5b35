import type { OrbweaverConfig, Settings } from '../adapters/config/config-schema.ts'
import { loadSettings } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { withoutUndefined } from '../base/without-undefined.ts'

/** Where the settings of a spider's crawl come from, strongest first: the caller, the environment, the spider, the configuration file. */
export interface SpiderSettingsRequest {
  readonly settings: OrbweaverConfig | undefined
  readonly own: OrbweaverConfig | undefined
  /** The crawl directory; a configuration file in or next to it is used. */
  readonly dir: string
  /** A configuration file named by the user. */
  readonly config?: string | undefined
}

/**
 * Defaults of spiders that differ from those of the cycle: handlers choose the links, so there are no rules by file name; and a host that is
 * down is parked for a shorter time, because users wait for a spider to finish.
 */
const PRESET: OrbweaverConfig = { filters: { rules: ['+.'] }, politeness: { parkSeconds: 300 } }

export async function spiderSettings({
  settings,
  own,
  dir,
  config,
}: SpiderSettingsRequest): Promise<Settings> {
  const source = settingsSource({
    ...withoutUndefined({ named: config }),
    crawlDirectory: dir,
    currentDirectory: process.cwd(),
    env: process.env,
    flags: settings ?? {},
  })
  return loadSettings({ ...source, preset: PRESET, ...withoutUndefined({ spider: own }) })
}
