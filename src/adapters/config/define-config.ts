import type { OrbweaverConfig } from './config-schema.ts'

/** Gives the author of an `orbweaver.config.ts` completion and type checks; it returns its argument. */
export function defineConfig(config: OrbweaverConfig): OrbweaverConfig {
  return config
}
