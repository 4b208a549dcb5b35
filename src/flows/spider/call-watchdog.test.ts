import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

// In a process of its own: tests run in threads, and the watchdog interrupts the main thread.
it.each([
  ['with a thread that watches', [], true],
  // Such a process may not use the inspector.
  [
    'by scripts where no thread may',
    ['--no-warnings', '--permission', '--allow-fs-read=*', '--allow-worker'],
    false,
  ],
])('interrupts endless loops, and nothing else, %s', async (_title, flags, isWatched) => {
  const program = join(import.meta.dirname, '../../../testing/watched-calls.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, program])
  expect(JSON.parse(stdout)).toEqual({
    results: [
      ...['before', 'TimeLimitExceeded', 'after', 'Error', 'TimeLimitExceeded'],
      ...['inner', 'other limit', 'async'],
    ],
    seen: ['immediate', 'microtask', 'tick', 'timer'],
    isWatched,
    isOrdered: true,
    turns: ['call', 'other', 'call', 'other', 'call'],
  })
  // Such as a notice of the inspector.
  expect(stderr).toBe('')
})
