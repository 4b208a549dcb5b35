import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { SparkUnavailable } from './spark-error.ts'

/**
 * The path of spark-submit: the one named, that of SPARK_HOME, or the first on the PATH.
 * @throws SparkUnavailable
 */
export function findSubmit(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (named !== undefined) {
    if (existsSync(named)) return named
    throw new SparkUnavailable(`there is no ${named}: set engine.spark.submit to the path of spark-submit`)
  }
  const home = env['SPARK_HOME']
  const folders = [
    ...(home === undefined || home === '' ? [] : [join(home, 'bin')]),
    ...(env['PATH'] ?? '').split(delimiter).filter(Boolean),
  ]
  const found = folders.map((folder) => join(folder, 'spark-submit')).find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new SparkUnavailable(
    'there is no spark-submit on the PATH: install Spark 3.5 or newer ("pip install pyspark" needs Java 17), set SPARK_HOME, or set engine.spark.submit',
  )
}
