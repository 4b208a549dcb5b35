import { readdirSync, readFileSync } from 'node:fs'
import {
  type PerformanceEntry,
  PerformanceObserver,
  constants as performanceConstants,
} from 'node:perf_hooks'
import { packageVersion } from '../../base/package-version.ts'
import type { MetricFamily, Sample } from './metric-family.ts'

/** The metrics of this process, with the names that Prometheus's client libraries use. Garbage collections are counted from the constructor on. */
export class ProcessMetrics {
  readonly #collections = new Map<string, { count: number; seconds: number }>()
  readonly #observer: PerformanceObserver

  constructor() {
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#collected(entry)
    })
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  families(): MetricFamily[] {
    const memory = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    return [
      processGauge('orbweaver_build_info', 'Version of Orbweaver and of Node.js; the value is always 1.', {
        value: 1,
        labels: { version: packageVersion(), node_version: process.versions.node },
      }),
      {
        name: 'process_cpu_seconds_total',
        type: 'counter',
        help: 'CPU time of this process, all threads, in seconds.',
        samples: [{ value: (user + system) / 1e6 }],
      },
      processGauge('process_resident_memory_bytes', 'Resident memory of this process, in bytes.', {
        value: memory.rss,
      }),
      processGauge('process_start_time_seconds', 'Start of this process, in seconds since the epoch.', {
        value: performance.timeOrigin / 1000,
      }),
      processGauge('process_open_fds', 'Open file descriptors of this process (Linux only).', ...openFiles()),
      processGauge('process_max_fds', 'Limit for open file descriptors (Linux only).', ...maxOpenFiles()),
      processGauge('nodejs_heap_size_used_bytes', 'Used heap of the main thread, in bytes.', {
        value: memory.heapUsed,
      }),
      processGauge('nodejs_heap_size_total_bytes', 'Allocated heap of the main thread, in bytes.', {
        value: memory.heapTotal,
      }),
      processGauge(
        'nodejs_external_memory_bytes',
        'Memory of buffers and other objects outside the heap, in bytes.',
        {
          value: memory.external,
        },
      ),
      {
        name: 'nodejs_gc_duration_seconds',
        type: 'summary',
        help: 'Garbage collections of the main thread by kind, in seconds.',
        samples: [...this.#collections].flatMap(([kind, { count, seconds }]) => [
          { suffix: '_sum', labels: { kind }, value: seconds },
          { suffix: '_count', labels: { kind }, value: count },
        ]),
      },
    ]
  }

  close(): void {
    this.#observer.disconnect()
  }

  #collected(entry: PerformanceEntry & { readonly detail?: { readonly kind?: number } }): void {
    const kind = KINDS.get(entry.detail?.kind ?? -1) ?? 'other'
    const sums = this.#collections.get(kind) ?? { count: 0, seconds: 0 }
    sums.count++
    sums.seconds += entry.duration / 1000
    this.#collections.set(kind, sums)
  }
}

const KINDS: ReadonlyMap<number, string> = new Map([
  [performanceConstants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [performanceConstants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [performanceConstants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [performanceConstants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

function processGauge(name: string, help: string, ...samples: readonly Sample[]): MetricFamily {
  return { name, help, type: 'gauge', samples }
}

function openFiles(): Sample[] {
  try {
    return [{ value: readdirSync('/proc/self/fd').length }]
  } catch {
    return []
  }
}

function maxOpenFiles(): Sample[] {
  try {
    const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return [{ value: soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) }]
  } catch {
    return []
  }
}
