import { mkdir, rm } from 'node:fs/promises'
import { Database } from '../duckdb/database.ts'
import type { Session } from '../duckdb/session.ts'

/**
 * Calls `work` with an empty database in memory, for data of a step that is read from or written to the files of segments: they are on
 * this machine, and their formats stay the same with every engine.
 * @param folder for data that does not fit in memory; deleted afterwards
 */
export async function withScratch<T>(folder: string, work: (session: Session) => Promise<T>): Promise<T> {
  const database = await openScratch(folder)
  try {
    return await database.change(work)
  } finally {
    await closeScratch(database, folder)
  }
}

/** The same for streamed rows. */
export async function* streamScratch<T>(
  folder: string,
  work: (session: Session) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const database = await openScratch(folder)
  try {
    yield* database.stream(work)
  } finally {
    await closeScratch(database, folder)
  }
}

async function openScratch(folder: string): Promise<Database> {
  await mkdir(folder, { recursive: true })
  return Database.open(':memory:', { memory_limit: '1GB', temp_directory: folder }, folder)
}

async function closeScratch(database: Database, folder: string): Promise<void> {
  await database.close()
  await rm(folder, { recursive: true, force: true })
}
