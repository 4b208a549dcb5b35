import { spawn } from 'node:child_process'
import { join } from 'node:path'

export interface Run {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

const ROOT = join(import.meta.dirname, '..')

/** Runs the built command in its own process, as a user does. `npm test` builds dist/ before. */
export function runOrbweaver(args: readonly string[], nodeArgs: readonly string[] = []): Promise<Run> {
  return runNode([...nodeArgs, join(ROOT, 'bin/orbweaver.js'), ...args])
}

/** Runs Node.js in the project's folder, so that `import 'orbweaver'` means this package. */
export function runNode(args: readonly string[]): Promise<Run> {
  return runProgram(process.execPath, args, ROOT)
}

/** Runs a line of shell. */
export function runShell(line: string, cwd: string): Promise<Run> {
  return runProgram('sh', ['-c', line], cwd)
}

/** Runs a program in a folder. */
export function runProgram(program: string, args: readonly string[], cwd: string): Promise<Run> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
}
