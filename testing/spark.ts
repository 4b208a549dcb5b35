import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages } from './install-packages.ts'
import { installPythonEnvironment, pythonOf } from './python-environment.ts'

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
const PYSPARK = { name: 'pyspark-4', requirement: 'pyspark>=4.1,<4.4', oldestPython: 10 }
const OLDEST_JAVA = 17

/** The Spark that `requireSpark` has installed. */
export function findSpark(): Spark {
  const java = javaVersion()
  if (java === undefined || java < OLDEST_JAVA)
    return {
      ok: false,
      reason: `${java === undefined ? 'there is no Java' : `Java ${java} is too old`}: install Java ${OLDEST_JAVA} or newer`,
    }
  const python = pythonOf(PYSPARK)
  if (!existsSync(python)) return { ok: false, reason: 'pyspark is not installed: pip install pyspark' }
  const script = 'import pyspark; print(pyspark.__path__[0]); print(pyspark.__version__)'
  const { status, stdout } = spawnSync(python, ['-c', script], { encoding: 'utf8' })
  const [home = '', version = ''] = status === 0 ? stdout.trim().split('\n') : []
  if (!existsSync(join(home, 'bin', 'spark-submit')))
    return { ok: false, reason: `${python} has no pyspark that works: remove its virtual environment` }
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
  const failure = await installPythonEnvironment(PYSPARK)
  return failure === undefined ? findSpark() : { ok: false, reason: failure }
}

/** The major version; `undefined`: there is no Java that runs. */
function javaVersion(): number | undefined {
  const home = process.env['JAVA_HOME']
  const java = home === undefined ? 'java' : join(home, 'bin', 'java')
  const { status, stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' })
  const version = /version "(?:1\.)?(\d+)/.exec(status === 0 ? stderr : '')
  return version === null ? undefined : Number(version[1])
}
