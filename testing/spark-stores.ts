import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSparkStores, type SparkStores } from '../src/adapters/spark/open-spark-stores.ts'
import { type SparkOptions, SparkSession } from '../src/adapters/spark/spark-session.ts'
import type { OpenStores } from './crawl-directory.ts'
import type { RuleSetName } from './rule-sets.ts'
import { findSpark } from './spark.ts'

/** Starts Spark for tests. */
export function startTestSpark(options: SparkOptions = {}): Promise<SparkSession> {
  return SparkSession.start(testSparkOptions(options))
}

/** Settings of Spark for tests: small, and with little work for its compilers. */
export function testSparkOptions(options: SparkOptions = {}) {
  const spark = findSpark()
  if (!spark.ok) throw new Error(spark.reason)
  Object.assign(process.env, spark.environment)
  const java = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
  return {
    master: 'local-cluster[2,1,1024]',
    submit: join(spark.home, 'bin', 'spark-submit'),
    node: process.execPath,
    startSeconds: 600,
    ...options,
    conf: {
      'spark.driver.extraJavaOptions': java,
      'spark.executor.extraJavaOptions': java,
      // The tables of tests are tiny: compiling queries takes longer than running them.
      'spark.sql.codegen.wholeStage': 'false',
      'spark.sql.codegen.factoryMode': 'NO_CODEGEN',
      'spark.sql.adaptive.enabled': 'false',
      'spark.default.parallelism': '2',
      'spark.locality.wait': '0',
      ...options.conf,
    },
  }
}

/**
 * Opens a CrawlDb in the folder `crawldb` of a crawl directory.
 * @param rulesOf the name of the rules that executors load, which may not exist
 */
export function openWithSpark(
  session: () => SparkSession,
  rulesOf: (rules: RuleSetName) => string = (rules) => rules,
): OpenStores<SparkStores> {
  return async (path, rules) => {
    const segmentsPath = join(path, 'segments')
    await mkdir(segmentsPath, { recursive: true })
    return openSparkStores(session(), path, {
      buckets: 2,
      rules: { source: async () => rulesOf(rules), worker: WORKER },
    })
  }
}

const WORKER = fileURLToPath(new URL('./spark-rules-worker.ts', import.meta.url))
