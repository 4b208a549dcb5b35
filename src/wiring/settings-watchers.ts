import type { Settings } from '../adapters/config/config-schema.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { RequestEvents } from '../domain/fetch/request-events.ts'
import type { RunWatcher } from './run-watcher.ts'

/**
 * `watchers`, the log of requests, and those that the settings request.
 * @throws ConfigurationError if the metrics cannot be served on their address
 */
export async function allWatchers(
  watchers: readonly RunWatcher[] | undefined,
  settings: Settings,
  log: EventLog,
): Promise<RunWatcher[]> {
  for (const watcher of watchers ?? []) watcher.configured?.(settings, log)
  const observer = RequestEvents.of(log)
  const logged = observer === undefined ? [] : [{ observer }]
  return [...(watchers ?? []), ...logged, ...(await settingsWatchers(settings.monitoring, log))]
}

/**
 * The watchers that the settings request: metrics and traces. They are open; `ended` closes them.
 * @throws ConfigurationError if the metrics cannot be served on their address
 */
export async function settingsWatchers(
  { metrics, traces }: Settings['monitoring'],
  log: EventLog,
): Promise<RunWatcher[]> {
  // Loaded late: most crawls have neither.
  const watchers: RunWatcher[] = []
  if (traces) watchers.push(await tracingWatcher(log))
  if (metrics !== undefined) watchers.push(await metricsWatcher(metrics, log))
  return watchers
}

async function metricsWatcher(address: string, log: EventLog): Promise<RunWatcher> {
  const { MetricsExporter } = await import('../adapters/metrics/metrics-exporter.ts')
  const exporter = await MetricsExporter.listen(address)
  logEvent(log, 'METRICS_SERVED', `metrics: ${exporter.url}`, { url: exporter.url })
  return exporter
}

async function tracingWatcher(log: EventLog): Promise<RunWatcher> {
  const { createRequestTracer, flushSpans, isSdkRegistered } = await import(
    '../adapters/tracing/registered-sdk.ts'
  )
  if (!isSdkRegistered())
    logEvent(
      log,
      'TRACES_DISCARDED',
      'traces are on, but no OpenTelemetry SDK is registered, so they are discarded: load one with NODE_OPTIONS="--import …"',
    )
  return {
    observer: createRequestTracer(),
    async ended() {
      await flushSpans().catch((error: unknown) =>
        logEvent(log, 'TRACES_DISCARDED', `the last spans could not be sent: ${String(error)}`),
      )
    },
  }
}
