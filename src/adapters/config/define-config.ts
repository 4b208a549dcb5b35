import type { OrbweaverConfig } from './config-schema.ts'

/** Returns its argument. It gives an `orbweaver.config.ts` completion and type checks in an editor. */
export function defineConfig(config: OrbweaverConfig): OrbweaverConfig {
  return config
}
