import { z } from 'zod'
import { choiceValue, docs, integerValue, numberValue, stringValue } from './config-values.ts'

/** The keys of the section `engine`. */
export function engineSection() {
  return {
    kind: choiceValue(['duckdb', 'spark']).exactOptional().register(docs, {
      description:
        'Engine of the CrawlDb. Default: that of the crawl directory; for a new one `spark` if `engine.spark` is set, else `duckdb`.',
    }),
    spark: z
      .strictObject({
        master: line('a master like local[*], spark://host:7077 or yarn').exactOptional().register(docs, {
          description:
            'Master of Spark: `local[*]`, `spark://host:7077`, `yarn`, `k8s://https://host:443`. Default: `local[*]`.',
        }),
        conf: z.record(z.string(), z.string()).readonly().exactOptional().register(docs, {
          description: 'Configuration of Spark, by its own names, such as `spark.executor.memory`.',
        }),
        submit: line('the path of spark-submit').exactOptional().register(docs, {
          description: 'Path of `spark-submit`. Default: that of `SPARK_HOME`, or the first on the `PATH`.',
        }),
        node: line('the command that starts Node.js').exactOptional().register(docs, {
          description:
            'Command that starts Node.js on the machines of the executors. Default: `node`; with `local[…]` that of this process.',
        }),
        package: line('a folder').exactOptional().register(docs, {
          description:
            'Folder of the Orbweaver package on the machines of the executors. Default: the same as here.',
        }),
        crawldb: line('an address like hdfs://host/crawl/crawldb').exactOptional().register(docs, {
          description:
            'Address of the CrawlDb in a file system that every executor can reach, such as `hdfs://host/crawl/crawldb`. Default: `crawldb` in the crawl directory.',
        }),
        buckets: integerValue(1, 100_000).exactOptional().register(docs, {
          description:
            'Number of files that the URLs are divided into, by host; fixed when the crawl is created. Default: 32.',
        }),
        keepVersions: integerValue(1, 1000).exactOptional().register(docs, {
          description:
            'Number of versions of the CrawlDb that are kept, the current one included. Default: 2.',
        }),
        startSeconds: numberValue(1, undefined, 'seconds').exactOptional().register(docs, {
          description: 'Maximum time until Spark has its first executor, in seconds. Default: 180.',
        }),
      })
      .readonly()
      .exactOptional()
      .register(docs, { description: 'Settings of Apache Spark; see [spark.md](spark.md).' }),
  }
}

function line(expected: string) {
  return stringValue(/^[^\p{Cc}]+$/u, expected)
}
