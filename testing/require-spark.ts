import { requireSpark } from './spark.ts'

/** Before all tests, once: installs Apache Spark when it is missing and we may. */
export async function setup(): Promise<void> {
  const spark = await requireSpark()
  if (!spark.ok) process.stderr.write(`the tests of the engine spark are skipped: ${spark.reason}\n`)
}
