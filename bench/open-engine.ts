import { type CrawlDirectory, openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'

export type Stores = Pick<CrawlDirectory, 'db' | 'close'>

export interface Engine {
  open(path: string): Promise<Stores>
  /** Ends the session of the engine. */
  end(): Promise<void>
}

/** Memory limit of DuckDB. */
const MEMORY_MB = 2_500

/** Starts a session of an engine by its name. */
export async function openEngine(name: string): Promise<Engine> {
  if (name !== 'duckdb') throw new Error(`no engine called ${name}; there is: duckdb`)
  return {
    open: (path) => openCrawlDirectory(path, { command: 'bench', memoryMb: MEMORY_MB, threads: 2 }),
    end: async () => {},
  }
}
