import { booleanValue, docs, stringValue } from './config-values.ts'

/** The keys of `monitoring`. */
export function monitoringSection() {
  return {
    metrics: stringValue(/^(?:\[[^\]]+\]:|[^:]+:)?\d{1,5}$/, 'a port, or host:port such as 127.0.0.1:9464')
      .exactOptional()
      .register(docs, {
        description:
          'Where each run serves metrics for Prometheus: a port, or `host:port`. Without a host, only this machine can connect. Port 0: any free port. Default: no metrics.',
      }),
    traces: booleanValue().default(false).register(docs, {
      description:
        'Make OpenTelemetry spans of each request. They are sent by an SDK that you register, as [metrics.md](metrics.md#traces) shows.',
    }),
  }
}
