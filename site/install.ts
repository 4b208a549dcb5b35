/** Installs the packages of the site, as package-lock.json has them, if they are missing or older: `node site/install.ts`. */
import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

const wanted = join(import.meta.dirname, 'package-lock.json')
/** npm writes it at the end of an installation. */
const installed = join(import.meta.dirname, 'node_modules/.package-lock.json')
const isCurrent = existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs
if (!isCurrent)
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: import.meta.dirname, stdio: 'inherit' })
