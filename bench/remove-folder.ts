import { rmSync } from 'node:fs'

/** Also when a process that was just ended still writes to it. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}
