import { requireRedis } from './redis-server.ts'

/** Before all tests, once: installs Redis when it is missing and we may. When we may not, the tests that need it say so. */
export function setup(): void {
  try {
    requireRedis()
  } catch (error) {
    process.stderr.write(`${String(error)}\n`)
  }
}
