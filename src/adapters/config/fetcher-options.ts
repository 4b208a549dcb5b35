import { withoutUndefined } from '../../base/without-undefined.ts'
import { isAddressOrLocalhost } from '../../domain/url/local-host.ts'
import type { Settings } from './config-schema.ts'
import { hostCredentials } from './host-credentials.ts'

/**
 * The options of an `HttpFetcher` from the settings, except its clock and its warning handler.
 * @param version of the program, sent in the User-Agent
 * @param named hosts of seeds and start URLs. IP addresses and localhost among them may be private.
 * @param privateNames hosts that had an address in a local network when they were named; other names need `http.allowPrivateHosts`
 */
export function fetcherOptions(
  { agent, http, politeness }: Settings,
  version: string,
  named: Iterable<string>,
  privateNames: Iterable<string> = [],
) {
  const { timeoutSeconds, maxBodyBytes } = http
  const allowed = new Set(http.allowPrivateHosts.map((host) => host.toLowerCase()))
  if (http.allowPrivateSeeds) for (const host of named) if (isAddressOrLocalhost(host)) allowed.add(host)
  const local = new Set(http.allowPrivateSeeds ? privateNames : [])
  // No phase of a request takes longer than the whole request.
  const timeoutMs = (seconds: number) => Math.ceil(Math.min(seconds, timeoutSeconds) * 1000)
  return {
    agent: { ...agent, version },
    headers: http.headers,
    credentials: hostCredentials(http.credentials),
    totalTimeoutMs: timeoutMs(timeoutSeconds),
    connectTimeoutMs: timeoutMs(http.connectTimeoutSeconds),
    headersTimeoutMs: timeoutMs(http.headersTimeoutSeconds),
    bodyTimeoutMs: timeoutMs(http.bodyTimeoutSeconds),
    minBytesPerSecond: http.minBytesPerSecond,
    maxBodyBytes,
    maxDeclaredBytes: Math.max(http.maxDeclaredBytes, maxBodyBytes),
    ...withoutUndefined({ proxy: http.proxy }),
    ...(http.proxyProbeSeconds > 0 && { proxyProbeMs: http.proxyProbeSeconds * 1000 }),
    // Concurrent requests to one host need a connection each.
    maxConnectionsPerOrigin: Math.max(6, politeness.threadsPerHost),
    cookies: http.cookies,
    http2: http.http2,
    insecureHosts: http.insecureHosts,
    allowPrivateHosts: (host: string) => allowed.has(host) || (local.has(host) && ('local-network' as const)),
  }
}
