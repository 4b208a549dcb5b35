import { spawnSync } from 'node:child_process'
import { installPackages } from './install-packages.ts'

/** Debian's Python with Scrapy and redis-py, or why there is none. */
export type Scrapy =
  | { readonly ok: true; readonly python: string; readonly version: string }
  | { readonly ok: false; readonly reason: string }

/** Before all tests, once: the test of interoperability says whether there is a Scrapy, and is not to wait for it. */
export function setup(): void {
  requireScrapy()
}

/** Installs Debian's packages when they are missing and we may. */
export function requireScrapy(): Scrapy {
  const found = findScrapy()
  if (found.ok) return found
  if (installPackages('python3-scrapy', 'python3-redis')) return findScrapy()
  return { ok: false, reason: `${found.reason}, and could not be installed: that takes root and Debian` }
}

/** Debian's own: other Pythons on the machine do not see its packages. */
const PYTHON = '/usr/bin/python3'

function findScrapy(): Scrapy {
  const { status, stdout } = spawnSync(PYTHON, ['-c', 'import redis, scrapy; print(scrapy.__version__)'])
  if (status !== 0) return { ok: false, reason: 'python3-scrapy or python3-redis is missing' }
  return { ok: true, python: PYTHON, version: stdout.toString().trim() }
}
