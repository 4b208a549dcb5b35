import { ConfigurationError } from '../../base/crawl-error.ts'

/**
 * What the key of the start messages holds. A list is read from its head, a set in any order, a sorted set from its highest score: as
 * scrapy-redis does it.
 */
export type StartKind = 'list' | 'set' | 'zset'

/** @param found as Redis calls it */
export function wrongKind(key: string, found: string, wanted: StartKind | undefined): ConfigurationError {
  const should = wanted === undefined ? 'a list, a set or a sorted set' : NAMES[wanted]
  return new ConfigurationError(
    'REDIS_KEY_INVALID',
    `${key} must hold ${should} of start messages; it is ${kindName(found)}`,
  )
}

/** `a sorted set`. */
function kindName(kind: string): string {
  return Object.hasOwn(NAMES, kind) ? NAMES[kind as StartKind] : `a ${kind}`
}

const NAMES: Readonly<Record<StartKind, string>> = { list: 'a list', set: 'a set', zset: 'a sorted set' }
