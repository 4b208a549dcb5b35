import { mkdir, rm } from 'node:fs/promises'
import { Database } from '../duckdb/database.ts'
import type { Session } from '../duckdb/session.ts'

/**
 * Calls `work` with an empty database in memory, for data of a step that is read from or written to the files of segments: they are on
 * this machine, and their formats stay the same with every engine.
 * @param folder for data that does not fit in memory; deleted afterwards
 */
export async function withScratch<T>(folder: string, work: (session: Session) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true })
  const database = await Database.open(':memory:', { memory_limit: '1GB', temp_directory: folder }, folder)
  try {
    return await database.change(work)
  } finally {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}
