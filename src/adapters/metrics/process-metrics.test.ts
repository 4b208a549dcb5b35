import { afterEach, expect, it } from 'vitest'
import { ProcessMetrics } from './process-metrics.ts'

const metrics = new ProcessMetrics()
afterEach(() => metrics.close())

const valuesOf = () =>
  new Map(
    metrics
      .families()
      .flatMap(({ name, samples }) =>
        samples.map(({ suffix = '', value }) => [name + suffix, value] as const),
      ),
  )

it('reports this process in base units', async () => {
  const values = valuesOf()
  const { rss, heapUsed } = process.memoryUsage()
  expect(values.get('orbweaver_build_info')).toBe(1)
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(rss / 2)
  expect(values.get('nodejs_heap_size_used_bytes')).toBeGreaterThan(heapUsed / 10)
  expect(values.get('process_start_time_seconds')).toBeCloseTo(performance.timeOrigin / 1000)
  const { user, system } = process.cpuUsage()
  const cpuSeconds = values.get('process_cpu_seconds_total') ?? 0
  expect(cpuSeconds).toBeGreaterThan(0)
  expect(cpuSeconds).toBeLessThanOrEqual((user + system) / 1e6)
  if (process.platform === 'linux')
    expect(values.get('process_open_fds')).toBeLessThan(values.get('process_max_fds') ?? 0)
})
