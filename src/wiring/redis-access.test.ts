import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { completeConfig } from '../adapters/config/complete-config.ts'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { redisAccess, redisKeys } from './redis-access.ts'

const settings = (redis: NonNullable<OrbweaverConfig['redis']>) => completeConfig({ redis }, 'test').redis

const PEM = '-----BEGIN CERTIFICATE-----\n'

describe('redisAccess', () => {
  it('uses the named address, otherwise the one of the settings', () => {
    const both = settings({ url: 'redis://configured' })
    expect(redisAccess(both, 'redis://named').address).toBe('redis://named')
    expect(redisAccess(both, true).address).toBe('redis://configured')
    expect(redisAccess(both, undefined).address).toBe('redis://configured')
    expect(() => redisAccess(settings({}), true)).toThrow(/--redis .*ORBWEAVER_REDIS_URL.*redis\.url/)
  })

  it('includes the credentials, and the certificates from their files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orbweaver-access-'))
    const caFile = join(folder, 'ca.pem')
    writeFileSync(caFile, PEM)
    const redis = settings({ url: 'h:1', user: 'me', password: 'p', sentinelPassword: 's', caFile })
    expect(redisAccess(redis, undefined)).toEqual({
      address: 'h:1',
      credentials: { user: 'me', password: 'p', sentinelPassword: 's' },
      tls: { ca: PEM },
    })
    writeFileSync(caFile, '{}')
    expect(() => redisAccess(redis, undefined)).toThrow(/redis\.caFile: .*ca\.pem is not a PEM file/)
    rmSync(folder, { recursive: true })
    expect(() => redisAccess(redis, undefined)).toThrow(/redis\.caFile: .*ca\.pem cannot be read/)
  })
})

it('replaces the name of the crawl in key patterns', () => {
  expect(redisKeys(settings({}), 'books')).toEqual({})
  const redis = settings({ startKey: '{%(name)s}:in', itemsKey: 'out:%(spider)s:%(spider)s' })
  expect(redisKeys(redis, '$&books')).toEqual({ startUrls: '{$&books}:in', items: 'out:$&books:$&books' })
})
