import { existsSync } from 'node:fs'
import { installPackages } from './install-packages.ts'

export const PROMETHEUS = '/usr/bin/prometheus'
export const PROMTOOL = '/usr/bin/promtool'

/** Installs Debian's Prometheus when it is missing and we may. `false`, with a line that says so: the tests that need it are skipped. */
export function requirePrometheus(): boolean {
  const isInstalled = () => existsSync(PROMETHEUS) && existsSync(PROMTOOL)
  if (isInstalled() || (installPackages('prometheus') && isInstalled())) return true
  process.stderr.write('Prometheus is not installed, so its tests are skipped: apt-get install prometheus\n')
  return false
}
