import { existsSync } from 'node:fs'
import { installPackages } from './install-packages.ts'

/** Where Debian's package has it. */
export const CHROMIUM = '/usr/bin/chromium'

/** Before all tests, once: installs Chromium when it is missing and we may. When we may not, the tests that need it say so. */
export function setup(): void {
  if (!requireChromium())
    process.stderr.write('the tests of the search page need Chromium: install the package chromium\n')
}

/** Makes sure that there is Debian's Chromium: installs it when it is missing and we may. `false` when there is none. */
export function requireChromium(): boolean {
  return existsSync(CHROMIUM) || (installPackages('chromium') && existsSync(CHROMIUM))
}
