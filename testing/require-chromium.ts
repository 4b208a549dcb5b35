import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Where Debian's package has it. */
export const CHROMIUM = '/usr/bin/chromium'

/** Before all tests, once: installs Chromium when it is missing and we may. When we may not, the tests that need it say so. */
export function setup(): void {
  if (!requireChromium())
    process.stderr.write('the tests of the search page need Chromium: install the package chromium\n')
}

/** Makes sure that there is Debian's Chromium: installs it when it is missing and we may. `false` when there is none. */
export function requireChromium(): boolean {
  if (existsSync(CHROMIUM)) return true
  const mayInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0
  if (mayInstall) {
    const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 300_000 }
    spawnSync('apt-get', ['update'], options)
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options)
  }
  return existsSync(CHROMIUM)
}
