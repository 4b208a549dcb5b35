import type { OrbweaverConfig } from './config-schema.ts'

/**
 * Returns its argument. It gives an `orbweaver.config.ts` completion and type checks in an editor.
 * @example
 * export default defineConfig({
 *   agent: { name: 'my-bot', email: 'me@example.org' },
 *   politeness: { delaySeconds: 2 },
 * })
 */
export function defineConfig(config: OrbweaverConfig): OrbweaverConfig {
  return config
}
