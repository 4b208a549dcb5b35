import { requireSearchServer, type SearchServerName } from './installed-server.ts'

/** Installs servers before all tests, once. Says which are missing, and why. */
export function requireSearchServers(names: readonly SearchServerName[]): void {
  for (const name of names) {
    const server = requireSearchServer(name)
    const state = server.ok ? 'is tested' : `is not tested: ${server.reason}`
    process.stderr.write(`${name} ${server.version} ${state}\n`)
  }
}
