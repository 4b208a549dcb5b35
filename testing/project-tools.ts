import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TOOL_CACHE } from './tool-cache.ts'

/** Tools that check the files of .github/ and CITATION.cff. */
const PYTHON_FOLDER = join(TOOL_CACHE, 'project-python')
const GO_FOLDER = join(TOOL_CACHE, 'project-go')
const INSTALL_MS = 600_000

/** Validates files with the schemas of GitHub and of the Citation File Format, which it contains. */
export const CHECK_SCHEMA = join(PYTHON_FOLDER, 'bin/check-jsonschema')
/** A linter for workflows: types of expressions, names of events, shell scripts. */
export const ACTIONLINT = join(GO_FOLDER, 'actionlint')

/** `false`, with a line that says so: the tests that need it are skipped. */
export function requireCheckSchema(): boolean {
  if (existsSync(CHECK_SCHEMA)) return true
  run('python3', ['-m', 'venv', PYTHON_FOLDER])
  run(join(PYTHON_FOLDER, 'bin/python'), ['-m', 'pip', 'install', '--quiet', 'check-jsonschema==0.39.0'])
  return existsSync(CHECK_SCHEMA) || skipped('check-jsonschema')
}

/** `false`, with a line that says so: the tests that need it are skipped. */
export function requireActionlint(): boolean {
  if (existsSync(ACTIONLINT)) return true
  run('go', ['install', 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'], { GOBIN: GO_FOLDER })
  return existsSync(ACTIONLINT) || skipped('actionlint')
}

function run(program: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...variables }
  return spawnSync(program, args, { env, encoding: 'utf8', timeout: INSTALL_MS })
}

function skipped(name: string): false {
  process.stderr.write(`${name} could not be installed, so its tests are skipped\n`)
  return false
}
