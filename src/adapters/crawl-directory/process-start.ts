import { readFileSync } from 'node:fs'

/**
 * Something that tells a process from a later one with the same pid: when it started, in ticks since the machine did.
 * `undefined` when there is no such process, or where the system does not say (other than Linux).
 */
export function processStart(pid: number): string | undefined {
  // The start is the 22nd field, the state the third.
  return statFields(pid)?.[19]
}

/** Whether a process with this pid is running, whichever user owns it. A zombie process is not running. */
export function processExists(pid: number): boolean {
  if (statFields(pid)?.[0] === 'Z') return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** What Linux says about a process, from the third field on: the second is a name in parentheses, which may hold anything. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
