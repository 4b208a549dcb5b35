import { homedir } from 'node:os'
import { join } from 'node:path'

/** Folder for tools of the tests and benchmarks that are installed once, on demand. */
export const TOOL_CACHE = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'orbweaver-testing',
)
