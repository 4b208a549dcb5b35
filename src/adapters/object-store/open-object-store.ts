import { type Clock, wallClock } from '../../base/clock.ts'
import { type EventLog, NO_LOG } from '../../base/event-log.ts'
import type { ObjectStore } from '../../domain/object-store/object-store.ts'
import { parseObjectStoreUrl } from '../../domain/object-store/object-store-url.ts'
import type { AwsEnvironment } from './aws-files.ts'
import { OutageNotices } from './outage-notices.ts'
import { readS3Credentials } from './s3-credentials.ts'
import { findS3Endpoint, type ObjectStoreSettings } from './s3-endpoint.ts'

export interface OpenObjectStoreOptions {
  /** Gets a warning while requests are retried. @default none */
  readonly log?: EventLog
  /** How often a request is sent while the store is away. @default 11: about a minute and a half */
  readonly maxAttempts?: number
  readonly env?: AwsEnvironment
  readonly clock?: Clock
  readonly random?: () => number
}

/**
 * The store at `s3://bucket/prefix`. Nothing is requested yet. The client is loaded here, so that crawls without an object store do not load it.
 * @throws ConfigurationError for an invalid URL or setting
 */
export async function openObjectStore(
  url: string,
  settings: ObjectStoreSettings = {},
  {
    log = NO_LOG,
    maxAttempts = MAX_ATTEMPTS,
    env = process.env,
    clock = wallClock,
    random = Math.random,
  }: OpenObjectStoreOptions = {},
): Promise<ObjectStore> {
  const place = parseObjectStoreUrl(url)
  const endpoint = findS3Endpoint(place.bucket, settings, env)
  const [{ S3Client }, { S3Store }] = await Promise.all([import('./s3-client.ts'), import('./s3-store.ts')])
  const readCredentials = () => readS3Credentials(env, settings.profile)
  const notices = new OutageNotices(url, log)
  const client = { url, endpoint, readCredentials, notices, maxAttempts, clock, random }
  return new S3Store(url, place, new S3Client(client))
}

const MAX_ATTEMPTS = 11
