import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

/** Connects to a database in memory that all tests of this thread share: opening one takes longer than most queries. The caller disconnects. */
export async function connectToMemory(): Promise<DuckDBConnection> {
  memory ??= DuckDBInstance.create(':memory:', { threads: '1' })
  return (await memory).connect()
}

let memory: Promise<DuckDBInstance> | undefined
