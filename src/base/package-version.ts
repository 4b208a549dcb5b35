import { readFileSync } from 'node:fs'
import { PACKAGE_FOLDER } from './program-files.ts'

/** The version in package.json: what `--version` prints and the User-Agent carries. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8'))
  return (manifest as { version: string }).version
}
