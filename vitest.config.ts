import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/**
 * Tests next to their files that run whole programs, kill processes, need a server or take more than about five seconds: they run with the
 * whole-program tests, so that `npm run check` takes less than two minutes.
 */
const SLOW = [
  'src/cli/{*-command,json-terminal}.test.ts',
  'src/adapters/parse-threads/parse-pool.test.ts',
  'src/adapters/feeds/{feeds-process,object-feed,restart.property}.test.ts',
  'src/adapters/sqlite-index/search-index.test.ts',
  'src/adapters/duckdb/{graph/rank-nodes,hosts/host-db,novelty/novelty}.test.ts',
  'src/adapters/duckdb/segments/{segment-crash,merge-parquet,parquet-segments}.test.ts',
  'src/adapters/duckdb/frontier/{kill-frontier,duck-frontier}.test.ts',
  'src/flows/cycle/{crawl-rounds,index-pages}.test.ts',
  'src/flows/spider/call-watchdog.test.ts',
  'src/adapters/duckdb/{open-crawl-directory*,duck-crawl-db,duck-exchange,crawl-reads,plan-schedule}.test.ts',
  'src/wiring/{crawl-spider,run-spider,consume-items,isolated-calls,threaded-calls,take-items,spider-pages,object-segments}.test.ts',
  'src/adapters/object-store/s3-*.test.ts',
  'src/adapters/redis/!(redis-scripts).test.ts',
  'testing/{redis-*,spark}.test.ts',
]

/**
 * The contract of the CrawlDb, faults and conversions on Spark take about twenty minutes: `npm run test:spark` runs them. Whole crawls on
 * Spark are among the whole-program tests.
 */
const SPARK = ['src/adapters/spark/spark-*.test.ts', 'src/wiring/convert-crawl-db.test.ts']

/** Servers that `npm run test:servers` tests in addition to those of the whole-program tests. */
const MORE_SERVERS = ['test/servers/elasticsearch.test.ts']

export default defineConfig({
  test: {
    // The default on two cores is one; much of what tests do is wait.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,testing,scripts,web/src}/**/*.test.ts'],
          exclude: [...SLOW, ...SPARK],
          setupFiles: ['testing/fixed-seed.ts'],
          // Tests share a thread's modules: they keep no state in them, and loading them anew for each file takes a third of the time.
          isolate: false,
          pool: 'threads',
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'whole',
          globalSetup: [
            'testing/require-redis.ts',
            'testing/require-scrapy.ts',
            'testing/require-chromium.ts',
            'testing/require-s3-server.ts',
            'testing/require-spark.ts',
            'testing/search-servers/require-some.ts',
          ],
          include: ['test/**/*.test.ts', ...SLOW],
          exclude: MORE_SERVERS,
          setupFiles: ['testing/fixed-seed.ts'],
          // They start hundreds of processes from the sources, each of which would strip the types of all its modules anew.
          env: { NODE_COMPILE_CACHE: join(tmpdir(), 'orbweaver-compile-cache') },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'servers',
          globalSetup: ['testing/search-servers/require-all.ts'],
          include: ['test/servers/*.test.ts'],
          // One server at a time: each takes a core and more than half a gigabyte.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'spark',
          globalSetup: ['testing/require-spark.ts'],
          include: SPARK,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
})
