import type { SettingsSource } from '../config/load-settings.ts'

/** All that the rules of a crawl are made from, as plain data: rules are functions, which cannot be sent to a thread. */
export interface RulesSource {
  readonly settings: SettingsSource
  /** Normalised seeds, one for each host is enough. Absent: no scope. */
  readonly seeds?: readonly string[]
}
