import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

let isBuilt = false

/** Builds dist/, which bin/orbweaver.js runs, so that no old code is measured. Once in a run of `npm run bench`. */
export function buildDist(): void {
  if (isBuilt) return
  execFileSync('npm', ['run', 'build', '--silent'], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  isBuilt = true
}
