import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { installPackages } from './install-packages.ts'
import { TOOL_CACHE } from './tool-cache.ts'

export interface PythonEnvironment {
  /** Name of its folder in the tool cache. */
  readonly name: string
  /** A package of PyPI with its version, as pip takes it. */
  readonly requirement: string
  /** Further packages that it needs and does not name. */
  readonly also?: readonly string[]
  /** Oldest minor version of Python 3 that the package supports. */
  readonly oldestPython: number
}

/** Python of a virtual environment; it is not there before `installPythonEnvironment`. */
export function pythonOf({ name }: Pick<PythonEnvironment, 'name'>): string {
  return join(TOOL_CACHE, name, 'bin', 'python')
}

/**
 * Installs a package from PyPI into a virtual environment of its own, once. An existing environment is left as it is.
 * @returns why it could not be installed
 */
export async function installPythonEnvironment(environment: PythonEnvironment): Promise<string | undefined> {
  const { name, requirement, oldestPython, also = [] } = environment
  const folder = join(TOOL_CACHE, name)
  if (existsSync(folder)) return undefined
  const [major = 0, minor = 0] = pythonVersion()
  if (major < 3 || (major === 3 && minor < oldestPython))
    return major === 0
      ? 'there is no python3'
      : `Python ${major}.${minor} is too old: ${requirement} needs 3.${oldestPython}`
  // Complete under its name: several processes may install at once, and one may be killed meanwhile.
  const aside = `${folder}.${process.pid}`
  await mkdir(TOOL_CACHE, { recursive: true })
  const create = () => spawnSync('python3', ['-m', 'venv', '--copies', aside]).status === 0
  try {
    if (!create() && !(installPackages('python3-venv') && create()))
      return 'python3 cannot create a virtual environment: install python3-venv'
    const pip = spawnSync(
      join(aside, 'bin', 'python'),
      ['-m', 'pip', 'install', '--quiet', requirement, ...also],
      {
        encoding: 'utf8',
        timeout: 600_000,
      },
    )
    if (pip.status !== 0)
      return `pip could not install ${requirement}: ${pip.stderr.trim().split('\n').at(-1)}`
    await rename(aside, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    return undefined
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/** Empty: there is no python3. */
function pythonVersion(): number[] {
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(*sys.version_info[:2])'], {
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trim().split(' ').map(Number) : []
}
