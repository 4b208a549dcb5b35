import { CrawlError } from '../../base/crawl-error.ts'
import { PartUnreadable } from '../crawl-directory/crawl-directory-error.ts'

/**
 * Spark could not be started, or ended: no Java, no spark-submit, or a master that does not respond. The CrawlDb was not changed.
 * Remedy: The message says which; [Spark](spark.md#when-it-does-not-start) has the remedies.
 */
export class SparkUnavailable extends CrawlError {
  readonly code = 'SPARK_UNAVAILABLE'
  readonly retryable = true
}

/**
 * Spark ran, but a step failed: a rule threw an error, an executor has no Node.js, or files could not be read. The CrawlDb was not changed.
 * Remedy: Remove the cause in the message, then run the step again.
 */
export class SparkFailed extends CrawlError {
  readonly code = 'SPARK_FAILED'
  readonly retryable = false
}

/**
 * The error for the output of a `spark-submit` that ended before it was ready.
 * @param submit its path
 */
export function startFailure(submit: string, master: string, output: string): SparkUnavailable {
  return new SparkUnavailable(`${startReason(submit, master, output)}. Nothing was changed`)
}

function startReason(submit: string, master: string, output: string): string {
  if (
    /JAVA_HOME is not set|java: (?:command )?not found|Unable to locate a Java Runtime|java: No such file/i.test(
      output,
    )
  )
    return `Spark needs Java 17 or newer, and ${submit} found none: install one, or set JAVA_HOME`
  if (/UnsupportedClassVersionError|class file version|Unrecognized option: --add-opens/i.test(output))
    return `the Java that ${submit} found is too old for this Spark: install Java 17 or newer, or set JAVA_HOME to it`
  if (
    /All masters are unresponsive|Failed to connect to master|Connection refused|UnknownHostException|UnresolvedAddress/i.test(
      output,
    )
  )
    return `the Spark master ${master} does not respond: check engine.spark.master, and that the master runs`
  if (/(?:Could not parse Master URL|Master must either be)/i.test(output))
    return `"${master}" is not a Spark master: use local[*], spark://host:7077, yarn or k8s://https://host:port`
  return `${submit} ended before Spark was ready: ${lastLines(output)}`
}

/** What the driver reports about a request that failed. */
export interface DriverError {
  /** The class of the Python exception. */
  readonly type: string
  readonly message: string
}

/** Starts the line that a rules worker writes before it ends; see `rules-worker.ts`. */
export const RULE_ERROR = 'orbweaver rule failed: '

/** @param node the command that starts Node.js on executors */
export function stepFailure({ message }: DriverError, node: string): CrawlError {
  const [, file, directory = ''] =
    /(?:file:(?:\/\/)?)?((\/[^\s'"]*)\/segments\/[^\s'"]+\.parquet)/.exec(message) ?? []
  if (file !== undefined && DAMAGE.test(message))
    return new PartUnreadable(file, directory, firstLines(message))
  const rule = message.lastIndexOf(RULE_ERROR)
  if (rule >= 0) {
    const [line = ''] = message.slice(rule + RULE_ERROR.length).split('\n')
    return new SparkFailed(`a rule of the crawl failed: ${line}. The step was undone and changed nothing`)
  }
  if (/command not found|exited with status 127|error=2, No such file/i.test(message))
    return new SparkFailed(
      `an executor of Spark cannot start Node.js with "${node}": install Node.js 22.19 or newer on every machine, or set engine.spark.node. The step was undone and changed nothing`,
    )
  if (/Cannot find module/.test(message))
    return new SparkFailed(
      `an executor of Spark does not have the files of Orbweaver: install the package at the same path on every machine, or set engine.spark.package. The step was undone and changed nothing`,
    )
  if (/No space left on device|Disk quota exceeded/i.test(message))
    return new SparkFailed(
      'no room left on a disk of Spark: the step was undone and changed nothing; free some space and run it again',
    )
  return new SparkFailed(`Spark could not run a step, which changed nothing: ${firstLines(message)}`)
}

/** What Spark says about a file that is truncated or overwritten. */
const DAMAGE = /is not a Parquet file|CANNOT_READ_FILE_FOOTER|FAILED_READ_FILE|corrupt|Could not read footer/i

function firstLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  return lines.slice(0, 3).join(' ').slice(0, 600)
}

function lastLines(output: string): string {
  const lines = output
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at |^WARNING|^Using Spark/.test(line))
  return lines.slice(-3).join(' ').slice(-600) || 'it said nothing'
}
