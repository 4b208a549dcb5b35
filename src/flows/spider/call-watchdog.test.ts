import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

// In a process of its own: tests run in threads, and the watchdog interrupts the main thread.
it('interrupts endless loops, and nothing else', async () => {
  const program = join(import.meta.dirname, '../../../testing/watched-calls.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program])
  expect(JSON.parse(stdout)).toEqual({
    results: [
      ...['before', 'TimeLimitExceeded', 'after', 'Error', 'TimeLimitExceeded'],
      ...['inner', 'other limit', 'async'],
    ],
    seen: ['immediate', 'microtask', 'tick', 'timer'],
    isOrdered: true,
    turns: ['call', 'other', 'call', 'other', 'call'],
  })
  // Such as a notice of the inspector.
  expect(stderr).toBe('')
})
