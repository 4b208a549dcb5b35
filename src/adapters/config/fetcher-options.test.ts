import { describe, expect, it } from 'vitest'
import { completeConfig } from './complete-config.ts'
import type { OrbweaverConfig } from './config-schema.ts'
import { fetcherOptions } from './fetcher-options.ts'

describe('allowPrivateHosts of the fetcher', () => {
  const SEEDS = ['127.0.0.1', 'localhost', 'wiki.example', 'intranet.example']
  const allowed = (http: OrbweaverConfig['http']) => {
    const settings = completeConfig({ http: { ...http } }, 'test')
    const { allowPrivateHosts } = fetcherOptions(settings, '1', SEEDS, ['intranet.example'])
    return SEEDS.map(allowPrivateHosts)
  }

  it('allows seeds that are addresses, and names that were private when they were named', () => {
    expect(allowed({})).toEqual([true, true, false, 'local-network'])
  })

  it('allows no seed with allowPrivateSeeds: false, only the hosts of allowPrivateHosts', () => {
    expect(allowed({ allowPrivateSeeds: false })).toEqual([false, false, false, false])
    expect(allowed({ allowPrivateSeeds: false, allowPrivateHosts: ['wiki.example', '127.0.0.1'] })).toEqual([
      ...[true, false, true, false],
    ])
  })
})
