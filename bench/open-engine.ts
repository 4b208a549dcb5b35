import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sourceForThreads } from '../src/adapters/config/load-settings.ts'
import { type CrawlDirectory, openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import type { CrawlRulesSource } from '../src/adapters/spark/crawl-rules.ts'
import { openSparkStores } from '../src/adapters/spark/open-spark-stores.ts'
import { SparkSession } from '../src/adapters/spark/spark-session.ts'
import { sessionSettings } from '../src/wiring/crawl-session.ts'
import { findSpark } from '../testing/spark.ts'

export type Stores = Pick<CrawlDirectory, 'db' | 'close'>

export interface Engine {
  open(path: string): Promise<Stores>
  /** Ends the session of the engine. */
  end(): Promise<void>
}

/** Memory limit of DuckDB, and memory of each executor of Spark. */
const MEMORY_MB = 2_500

/** Starts a session of an engine: `duckdb`, or `spark-2` with two executors of one core each. */
export async function openEngine(name: string): Promise<Engine> {
  const executors = /^spark-(\d+)$/.exec(name)?.[1]
  if (executors !== undefined) return startSpark(Number(executors))
  if (name !== 'duckdb') throw new Error(`no engine called ${name}; there are: duckdb, spark-1, spark-2, …`)
  return {
    open: (path) => openCrawlDirectory(path, { command: 'bench', memoryMb: MEMORY_MB, threads: 2 }),
    end: async () => {},
  }
}

async function startSpark(executors: number): Promise<Engine> {
  const spark = findSpark()
  if (!spark.ok) throw new Error(spark.reason)
  Object.assign(process.env, spark.environment)
  const session = await SparkSession.start({
    master: `local-cluster[${executors},1,${MEMORY_MB}]`,
    submit: join(spark.home, 'bin', 'spark-submit'),
    node: process.execPath,
    startSeconds: 600,
    conf: { 'spark.executor.memory': `${MEMORY_MB - 400}m` },
  })
  return {
    async open(path) {
      await mkdir(join(path, 'segments'), { recursive: true })
      const { source, settings } = await sessionSettings({
        dir: path,
        settings: { filters: { scope: 'any' } },
        loadsCode: false,
      })
      const rules: CrawlRulesSource = { settings: sourceForThreads(source, settings), seeds: [] }
      return openSparkStores(session, path, { rules: { source: async () => rules } })
    },
    end: () => session.close(),
  }
}
