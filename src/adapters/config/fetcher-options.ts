import { withoutUndefined } from '../../base/without-undefined.ts'
import { isAddressOrLocalhost } from '../../domain/url/local-host.ts'
import type { Settings } from './config-schema.ts'

/**
 * What the settings say to an HTTP fetcher: the options of `HttpFetcher` but for its clock and where its warnings go.
 * @param version of the program, sent along with the name
 * @param named hosts of seeds and start URLs. Address literals and localhost among them may be private: they are what they say.
 * @param privateNames those that stood for a local network when they were named; other names need `http.allowPrivateHosts`
 */
export function fetcherOptions(
  { agent, http, politeness }: Settings,
  version: string,
  named: Iterable<string>,
  privateNames: Iterable<string> = [],
) {
  const { timeoutSeconds, maxBodyBytes } = http
  const allowed = new Set(http.allowPrivateHosts.map((host) => host.toLowerCase()))
  for (const host of named) if (isAddressOrLocalhost(host)) allowed.add(host)
  const local = new Set(privateNames)
  // A part of a request cannot take longer than the whole.
  const timeoutMs = (seconds: number) => Math.ceil(Math.min(seconds, timeoutSeconds) * 1000)
  return {
    agent: { ...agent, version },
    headers: http.headers,
    totalTimeoutMs: timeoutMs(timeoutSeconds),
    connectTimeoutMs: timeoutMs(http.connectTimeoutSeconds),
    headersTimeoutMs: timeoutMs(http.headersTimeoutSeconds),
    bodyTimeoutMs: timeoutMs(http.bodyTimeoutSeconds),
    minBytesPerSecond: http.minBytesPerSecond,
    maxBodyBytes,
    maxDeclaredBytes: Math.max(http.maxDeclaredBytes, maxBodyBytes),
    ...withoutUndefined({ proxy: http.proxy }),
    // Whoever allows a host more requests at once has to let them go out.
    maxConnectionsPerOrigin: Math.max(6, politeness.threadsPerHost),
    cookies: http.cookies,
    http2: http.http2,
    insecureHosts: http.insecureHosts,
    allowPrivateHosts: (host: string) => allowed.has(host) || (local.has(host) && ('local-network' as const)),
  }
}
