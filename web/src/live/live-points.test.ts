import { describe, expect, it } from 'vitest'
import type { LivePoint } from '../../../src/domain/live/live-report.ts'
import { addPoint, intervalOf, mergeMinutes, ratePoints } from './live-points.ts'

const point = (at: number, pages: number, seconds = 1): LivePoint => ({
  ...{ at, seconds, pages, bytes: pages * 100, requests: pages, errors: 0, items: 0 },
  ...{ inFlight: 1, queued: 2 },
})

describe('ratePoints', () => {
  it('averages the points of an interval', () => {
    const points = [point(1_000, 2), point(2_000, 4), point(3_000, 10), point(4_000, 0)]
    expect(ratePoints(points, 0, 4_000, 2_000)).toMatchObject([
      { from: 0, to: 2_000, pagesPerSecond: 3, bytesPerSecond: 300 },
      { from: 2_000, to: 4_000, pagesPerSecond: 5 },
    ])
  })

  it('divides a long point between the intervals that it overlaps', () => {
    expect(ratePoints([point(60_000, 120, 60)], 0, 60_000, 30_000)).toMatchObject([
      { pagesPerSecond: 2 },
      { pagesPerSecond: 2 },
    ])
  })

  it('leaves out the interval that has not ended, and intervals without points', () => {
    const points = [point(1_000, 2), point(2_000, 2), point(9_000, 2), point(10_000, 2), point(11_000, 50)]
    expect(ratePoints(points, 0, 11_000, 2_000).map(({ from }) => from)).toEqual([0, 8_000])
  })

  it('has the same past one second later', () => {
    const points = Array.from({ length: 60 }, (_, i) => point((i + 1) * 1_000, i % 7))
    const before = ratePoints(points, 0, 60_000, 5_000)
    const after = ratePoints([...points, point(61_000, 9)], 1_000, 61_000, 5_000)
    expect(after.slice(1)).toEqual(before.slice(1))
  })
})

describe('mergeMinutes', () => {
  it('keeps the sums, and the latest points one by one', () => {
    const points = Array.from({ length: 300 }, (_, i) => point((i + 1) * 1_000, 1))
    const merged = mergeMinutes(points, 240_000)
    expect(merged).toHaveLength(4 + 60)
    expect(merged[0]).toMatchObject({ at: 60_000, seconds: 60, pages: 60 })
    expect(merged.reduce((sum, { pages }) => sum + pages, 0)).toBe(300)
  })
})

describe('addPoint', () => {
  it('needs little memory after a day', () => {
    let points: LivePoint[] = []
    for (let second = 1; second <= 10_000; second++) points = addPoint(points, point(second * 1_000, 1))
    expect(points.length).toBeLessThan(1_200)
    expect(points.reduce((sum, { pages }) => sum + pages, 0)).toBe(10_000)
  })

  it('ignores a point that is not newer', () => {
    expect(addPoint([point(2_000, 1)], point(2_000, 5))).toEqual([point(2_000, 1)])
  })
})

it('chooses a round interval', () => {
  expect(intervalOf(600_000, 120)).toBe(5_000)
  expect(intervalOf(10_000, 120)).toBe(2_000)
  expect(intervalOf(86_400_000 * 3, 150)).toBe(1_800_000)
})
