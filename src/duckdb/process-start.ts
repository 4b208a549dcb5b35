import { readFileSync } from 'node:fs'

/**
 * Something that tells a process from a later one with the same pid: when it started, in ticks since the machine did.
 * `undefined` when there is no such process, or where the system does not say (other than Linux).
 */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in parentheses, which may hold anything; the start is the 22nd.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** Whether there is a process of that pid now, whoever owns it. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
