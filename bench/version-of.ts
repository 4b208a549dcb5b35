import { readFileSync } from 'node:fs'

/** @param file a package.json */
export function versionOf(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
