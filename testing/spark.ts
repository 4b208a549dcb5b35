import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { installPackages } from './install-packages.ts'

/** An Apache Spark that can run, or why there is none. */
export type Spark =
  | {
      readonly ok: true
      /** Folder with `bin/spark-submit`, `bin/spark-sql` and `jars/`: the `SPARK_HOME`. */
      readonly home: string
      /** Python with pyspark, for `PYSPARK_PYTHON`. */
      readonly python: string
      readonly version: string
      /** Environment of `spark-submit`. */
      readonly environment: Readonly<Record<string, string>>
    }
  | { readonly ok: false; readonly reason: string }

/** Versions that the tests ran with. */
const PYSPARK = 'pyspark>=4.1,<4.4'
const OLDEST_JAVA = 17

/** The Spark that `requireSpark` has installed. */
export function findSpark(): Spark {
  const java = javaVersion()
  if (java === undefined || java < OLDEST_JAVA)
    return {
      ok: false,
      reason: `${java === undefined ? 'there is no Java' : `Java ${java} is too old`}: install Java ${OLDEST_JAVA} or newer`,
    }
  const python = join(venvPath(), 'bin', 'python')
  if (!existsSync(python)) return { ok: false, reason: 'pyspark is not installed: pip install pyspark' }
  const script = 'import pyspark; print(pyspark.__path__[0]); print(pyspark.__version__)'
  const { status, stdout } = spawnSync(python, ['-c', script], { encoding: 'utf8' })
  const [home = '', version = ''] = status === 0 ? stdout.trim().split('\n') : []
  if (!existsSync(join(home, 'bin', 'spark-submit')))
    return { ok: false, reason: `pyspark in ${venvPath()} is broken: remove that folder` }
  // Drivers and executors stay on this machine, whatever its host name resolves to.
  const environment = { SPARK_HOME: home, PYSPARK_PYTHON: python, SPARK_LOCAL_IP: '127.0.0.1' }
  return { ok: true, home, python, version, environment }
}

/**
 * Installs pyspark from PyPI into a virtual environment in the user's cache folder, once, and Debian's packages for it when they are missing
 * and we may.
 */
export async function requireSpark(): Promise<Spark> {
  const found = findSpark()
  if (found.ok) return found
  if ((javaVersion() ?? 0) < OLDEST_JAVA && !installPackages(`openjdk-${OLDEST_JAVA}-jre-headless`))
    return findSpark()
  if (existsSync(venvPath())) return findSpark()
  const failure = await installPyspark()
  return failure === undefined ? findSpark() : { ok: false, reason: failure }
}

/** Returns why it could not be installed. */
async function installPyspark(): Promise<string | undefined> {
  const [major = 0, minor = 0] = pythonVersion()
  if (major < 3 || (major === 3 && minor < 10))
    return major === 0 ? 'there is no python3' : `Python ${major}.${minor} is too old: pyspark needs 3.10`
  // Complete under its name: several test runs may install at once, and one may be killed meanwhile.
  const aside = `${venvPath()}.${process.pid}`
  await mkdir(join(venvPath(), '..'), { recursive: true })
  const create = () => spawnSync('python3', ['-m', 'venv', '--copies', aside]).status === 0
  try {
    if (!create() && !(installPackages('python3-venv') && create()))
      return 'python3 cannot create a virtual environment: install python3-venv'
    const pip = spawnSync(join(aside, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', PYSPARK], {
      encoding: 'utf8',
      timeout: 600_000,
    })
    if (pip.status !== 0) return `pip could not install ${PYSPARK}: ${pip.stderr.trim().split('\n').at(-1)}`
    await rename(aside, venvPath()).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    return undefined
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

function venvPath(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  return join(cache, 'orbweaver-testing', 'pyspark-4')
}

/** The major version; `undefined`: there is no Java that runs. */
function javaVersion(): number | undefined {
  const home = process.env['JAVA_HOME']
  const java = home === undefined ? 'java' : join(home, 'bin', 'java')
  const { status, stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' })
  const version = /version "(?:1\.)?(\d+)/.exec(status === 0 ? stderr : '')
  return version === null ? undefined : Number(version[1])
}

/** Empty: there is no python3. */
function pythonVersion(): number[] {
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(*sys.version_info[:2])'], {
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trim().split(' ').map(Number) : []
}
