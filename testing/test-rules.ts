import { buildRules, type Rules } from '../src/adapters/config/build-rules.ts'
import { completeConfig } from '../src/adapters/config/complete-config.ts'
import type { OrbweaverConfig } from '../src/adapters/config/config-schema.ts'
import type { Clock } from '../src/base/clock.ts'
import { withoutUndefined } from '../src/base/without-undefined.ts'

/** The rules of a crawl by `testbot`. With `seeds` it keeps to their hosts. */
export function testRules(clock: Clock, config: OrbweaverConfig = {}, seeds?: readonly string[]): Rules {
  const settings = completeConfig({ agent: { name: 'testbot' }, ...config }, 'test')
  return buildRules(settings, { clock, ...withoutUndefined({ seeds }) })
}
