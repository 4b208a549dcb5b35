import type { Settings } from './config-schema.ts'

/**
 * What the settings say to an HTTP fetcher: the options of `HttpFetcher` but for its clock and where its warnings go.
 * @param version of the program, sent along with the name
 * @param named hosts the user named in other ways, as seeds: they may have a private address too
 */
export function fetcherOptions(
  { agent, http, politeness }: Settings,
  version: string,
  named: Iterable<string>,
) {
  const { timeoutSeconds, maxBodyBytes } = http
  const privateHosts = new Set([...named, ...http.allowPrivateHosts].map((host) => host.toLowerCase()))
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
    ...(http.proxy !== undefined && { proxy: http.proxy }),
    // Whoever allows a host more requests at once has to let them go out.
    maxConnectionsPerOrigin: Math.max(6, politeness.threadsPerHost),
    cookies: http.cookies,
    http2: http.http2,
    insecureHosts: http.insecureHosts,
    allowPrivateHosts: (host: string) => privateHosts.has(host),
  }
}
