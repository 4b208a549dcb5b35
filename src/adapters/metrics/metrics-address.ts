import { ConfigurationError } from '../../base/crawl-error.ts'

/** @throws ConfigurationError for anything else than `port`, `host:port` and `[address]:port` */
export function parseMetricsAddress(address: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits = ''] =
    /^(?:\[([^\]]+)\]:|([^:]+):)?(\d{1,5})$/.exec(address.trim()) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535)
    throw new ConfigurationError(
      'OPTION_INVALID',
      `${JSON.stringify(address)} is not an address for metrics: give a port, or host:port such as 127.0.0.1:9464 or [::1]:9464`,
    )
  return { host: bracketed ?? plain ?? '127.0.0.1', port }
}
