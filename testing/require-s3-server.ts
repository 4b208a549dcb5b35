import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TOOL_CACHE } from './tool-cache.ts'

const VERSION = 'v1.8.0'
const FOLDER = join(TOOL_CACHE, VERSION)

/** The S3 server of the tests: versitygw, which keeps objects as files. */
export const S3_SERVER = join(FOLDER, 'versitygw')

/** Before all tests, once: installs the server when it is missing. When that fails, the tests that need it say so. */
export function setup(): void {
  requireS3Server()
}

/** Builds versitygw with Go, into a cache folder of the user. `false`, with a line that says so: the tests that need it are skipped. */
export function requireS3Server(): boolean {
  if (existsSync(S3_SERVER)) return true
  // With all its dependencies, this takes some minutes.
  const module = `github.com/versity/versitygw/cmd/versitygw@${VERSION}`
  spawnSync('go', ['install', module], { env: { ...process.env, GOBIN: FOLDER }, timeout: 1_200_000 })
  if (existsSync(S3_SERVER)) return true
  process.stderr.write(
    `there is no S3 server, so the tests of object storage are skipped: install Go, then GOBIN=${FOLDER} go install ${module}\n`,
  )
  return false
}
