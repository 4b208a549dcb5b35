import { expect, it } from 'vitest'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FleetWorker } from '../../domain/frontier/fleet.ts'
import { offeredSegment, offerStatus } from './segment-offer.ts'

const worker = (fence: number, status: FleetWorker['status'], expiresAt = 100): FleetWorker => ({
  ...{ fence, name: 'w', joinedAt: 0, heardAt: 0, expiresAt, leased: 0, hosts: 0 },
  ...withoutUndefined({ status }),
})

it('finds the newest offer of those who live', () => {
  const workers = [
    worker(1, offerStatus('20270101000000')),
    worker(4, { offers: 7 }),
    worker(6, offerStatus('../../elsewhere')),
    worker(3, offerStatus('20270103000000'), 50),
    worker(2, { ...offerStatus('20270102000000'), pages: 3 }),
    worker(5, undefined),
  ]
  expect(offeredSegment(workers, 49)).toBe('20270103000000')
  expect(offeredSegment(workers, 50)).toBe('20270102000000')
  expect(offeredSegment(workers, 100)).toBeUndefined()
  expect(offeredSegment([], 0)).toBeUndefined()
})
