import { type Command, InvalidArgumentError } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { parseMetricsAddress } from '../adapters/metrics/metrics-address.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { addOptionGroup } from './help-notes.ts'

/** Flags of all commands that crawl. */
export interface MetricsFlags {
  readonly metrics?: string
  readonly trace?: true
}

export function addMetricsOptions(command: Command): Command {
  return addOptionGroup(command, 'Monitoring', (group) =>
    group
      .option(
        '--metrics <[host:]port>',
        'Serve metrics for Prometheus at /metrics; 0 for any free port (default host: 127.0.0.1)',
        metricsAddress,
      )
      .option('--trace', 'Make OpenTelemetry spans of each request, for an SDK that you register'),
  )
}

/** The settings of the flags. */
export function metricsConfig({ metrics, trace }: MetricsFlags): Pick<OrbweaverConfig, 'monitoring'> {
  const monitoring = withoutUndefined({ metrics, traces: trace })
  return Object.keys(monitoring).length > 0 ? { monitoring } : {}
}

function metricsAddress(text: string): string {
  try {
    parseMetricsAddress(text)
  } catch {
    throw new InvalidArgumentError('Give a port, or host:port such as 127.0.0.1:9464 or [::1]:9464.')
  }
  return text.trim()
}
