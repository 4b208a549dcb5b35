import { readFileSync } from 'node:fs'

/** The version in package.json: what `--version` prints and the User-Agent carries. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return (manifest as { version: string }).version
}
