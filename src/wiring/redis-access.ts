import { readFileSync } from 'node:fs'
import type { Settings } from '../adapters/config/config-schema.ts'
import type { StartKeysOptions } from '../adapters/redis/keys.ts'
import type { RedisConnectionOptions, RedisCredentials } from '../adapters/redis/redis-connection.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'

type RedisSettings = Settings['redis']

/** The address of a Redis with its credentials and certificates. */
export interface RedisAccess extends Pick<RedisConnectionOptions, 'credentials' | 'tls'> {
  readonly address: string
}

/**
 * Reads the address, the credentials and the certificates from the settings.
 * @param named an address that overrides the settings
 * @throws ConfigurationError if there is no address, and for a file that cannot be read
 */
export function redisAccess(redis: RedisSettings, named: string | true | undefined): RedisAccess {
  const address = typeof named === 'string' ? named : redis.url
  if (address === undefined)
    throw new ConfigurationError(
      'REDIS_ADDRESS_INVALID',
      'which Redis? Name it with --redis redis://host:6379/0, in ORBWEAVER_REDIS_URL, or as redis.url in the configuration',
    )
  const { user, password, sentinelUser, sentinelPassword, caFile, certFile, keyFile } = redis
  const credentials: RedisCredentials = withoutUndefined({ user, password, sentinelUser, sentinelPassword })
  const tls = {
    ...(caFile !== undefined && { ca: pem('redis.caFile', caFile) }),
    ...(certFile !== undefined && { cert: pem('redis.certFile', certFile) }),
    ...(keyFile !== undefined && { key: pem('redis.keyFile', keyFile) }),
  }
  return { address, credentials, tls }
}

/**
 * The keys of a crawl in the settings, with the name of the crawl in place of `%(name)s` and `%(spider)s`. `redis.shards` is not among them: a
 * crawl that exists has its own number, and only workers, who may create one, name theirs.
 */
export function redisKeys({ startKey, itemsKey }: RedisSettings, crawl: string): StartKeysOptions {
  return {
    ...(startKey !== undefined && { startUrls: withName(startKey, crawl) }),
    ...(itemsKey !== undefined && { items: withName(itemsKey, crawl) }),
  }
}

/**
 * The argument for the same Redis in another command: empty if the settings have the address; never with a password.
 * @param needsFlag whether that command uses Redis only with `--redis`
 */
export function redisArgument(named: string | true | undefined, needsFlag = false): string {
  if (typeof named !== 'string') return needsFlag ? ' --redis' : ''
  return ` --redis ${/@/.test(named) ? '…' : named}`
}

/** Replaces the name as in the settings of scrapy-redis. */
export function withName(key: string, crawl: string): string {
  return key.replaceAll(/%\((?:name|spider)\)s/g, () => crawl)
}

function pem(key: string, file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ConfigurationError(
      'REDIS_ADDRESS_INVALID',
      `${key}: ${file} cannot be read: ${(cause as Error).message}`,
      { cause },
    )
  }
  if (text.includes('-----BEGIN ')) return text
  throw new ConfigurationError(
    'REDIS_ADDRESS_INVALID',
    `${key}: ${file} is not a PEM file, which has lines with -----BEGIN …-----`,
  )
}
