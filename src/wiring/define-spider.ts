import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import type { FeedTarget } from '../adapters/feeds/feed-target.ts'
import type { JsonObject } from '../base/json.ts'
import type { SpiderDefinition } from '../flows/spider/spider-definition.ts'
import { checkSpider } from './check-spider.ts'

/** A spider with its own settings and exports: what `orbweaver run` and `crawl` take. */
export interface Spider<Input = JsonObject, Output = Input, Names extends string = never>
  extends SpiderDefinition<Input, Output, Names> {
  /** As in orbweaver.config.ts, over it, and under flags and environment. */
  readonly settings?: OrbweaverConfig
  /** Where items go, beside what `--out` says. @default nowhere else */
  readonly out?: FeedTarget | readonly FeedTarget[]
}

/**
 * Defines a spider. The schema gives the type of its items, and the names of its handlers are checked wherever one is named.
 * @throws ConfigurationError for what cannot work
 */
export function spider<Input = JsonObject, Output = Input, const Names extends string = never>(
  definition: Spider<Input, Output, Names>,
): Spider<Input, Output, Names> {
  checkSpider(definition)
  return Object.freeze({ ...definition })
}
