import { DuckDBInstance } from '@duckdb/node-api'

/**
 * Opens a database, with the settings that all databases of a process have in common.
 * @param file `:memory:` for one without a file
 */
export function openInstance(
  file: string,
  settings: Readonly<Record<string, string>>,
): Promise<DuckDBInstance> {
  return DuckDBInstance.create(file, { ...MEMORY_SETTINGS, ...settings })
}

/**
 * The allocator keeps memory that a query has freed until the same thread needs some again. A round of a crawl runs on several threads, and its queries
 * are seconds apart: a thread of the allocator returns that memory to the operating system meanwhile. The process has one allocator, and the database opened
 * last decides.
 */
const MEMORY_SETTINGS = { allocator_background_threads: 'true' }
