import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PACKAGE_FOLDER, programFile } from '../../base/program-files.ts'
import { findSubmit } from './find-submit.ts'
import { type DriverError, SparkUnavailable, startFailure, stepFailure } from './spark-error.ts'

export interface SparkOptions {
  /** Master of Spark: `local[*]`, `spark://host:7077`, `yarn`, `k8s://…`. @default 'local[*]' */
  readonly master?: string
  /** Configuration of Spark, by its own names. */
  readonly conf?: Readonly<Record<string, string>>
  /** Path of spark-submit. @default that of SPARK_HOME, or on the PATH */
  readonly submit?: string
  /** The command that starts Node.js on executors. @default 'node'; on this machine that of this process */
  readonly node?: string
  /** Folder of the Orbweaver package on executors. @default that of this process */
  readonly package?: string
  /** Maximum time until the first executor is ready. @default 180 */
  readonly startSeconds?: number
}

interface DriverResponse {
  readonly id: number
  readonly ok?: unknown
  readonly error?: DriverError
}

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Rows of a query; with `cursor` there are more. */
interface RowBatch<Row> {
  readonly rows: Row[]
  readonly cursor: number | null
}

/** One running Spark application: a `spark-submit` process that executes requests until it is closed. */
export class SparkSession {
  /** Version of Spark. */
  readonly version: string
  readonly node: string
  readonly package: string
  /** For files of this session; deleted when it is closed. */
  readonly folder: string
  readonly #process: ChildProcess
  readonly #socket: Socket
  readonly #end: () => Promise<void>
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1
  #isClosing = false
  #gone: SparkUnavailable | undefined

  /**
   * Starts Spark and waits for its first executor.
   * @throws SparkUnavailable
   */
  static async start(options: SparkOptions = {}): Promise<SparkSession> {
    const { master = 'local[*]' } = options
    const submit = findSubmit(options.submit, process.env)
    const folder = await mkdtemp(join(tmpdir(), 'orbweaver-spark-'))
    await chmod(folder, 0o700)
    const socketPath = join(folder, 'driver')
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(socketPath, resolve))
    const child = spawn(submit, submitArguments(options, master, folder, socketPath), {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Not the processes of this terminal: Ctrl-C stops this process, which then ends the step.
      detached: true,
      env: submitEnvironment(submit),
    })
    const output = new OutputTail(child)
    const end = async () => {
      server.close()
      await rm(folder, { recursive: true, force: true })
    }
    try {
      const { socket, version } = await ready(child, server, output, {
        submit,
        master,
        seconds: options.startSeconds ?? 180,
      })
      checkVersion(version)
      return new SparkSession({ child, socket, version, options, folder, end })
    } catch (error) {
      killGroup(child)
      await end()
      throw error
    }
  }

  private constructor({
    child,
    socket,
    version,
    options,
    folder,
    end,
  }: {
    child: ChildProcess
    socket: Socket
    version: string
    options: SparkOptions
    folder: string
    end: () => Promise<void>
  }) {
    this.#process = child
    this.#socket = socket
    this.version = version
    this.node = options.node ?? (isLocal(options) ? process.execPath : 'node')
    this.package = options.package ?? PACKAGE
    this.folder = folder
    this.#end = end
    onLines(socket, (line) => this.#receive(JSON.parse(line) as DriverResponse))
    socket.on('close', () => this.#lose())
    socket.on('error', () => this.#lose())
  }

  /** The process id of spark-submit. */
  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Sends a request and waits for its result. @throws SparkFailed, SparkUnavailable */
  request<T = unknown>(op: string, parameters: object): Promise<T> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone)
    const id = this.#nextId++
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (result) => resolve(result as T), reject })
      this.#socket.write(`${JSON.stringify({ id, op, ...parameters })}\n`)
    })
  }

  /** The rows of a query, in batches. Other requests may be sent in between. */
  async *rows<Row>(parameters: object): AsyncGenerator<Row[]> {
    let batch = await this.request<RowBatch<Row>>('rows', parameters)
    for (;;) {
      const { rows, cursor } = batch
      let isRead = false
      try {
        if (rows.length > 0) yield rows
        isRead = true
      } finally {
        if (!isRead && cursor !== null) await this.request('stop', { cursor }).catch(() => undefined)
      }
      if (cursor === null) return
      batch = await this.request<RowBatch<Row>>('more', { cursor })
    }
  }

  /** Ends Spark. Requests that are under way fail. */
  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    const isOver = this.#process.exitCode !== null || this.#process.signalCode !== null
    const exited = isOver ? Promise.resolve() : new Promise((resolve) => this.#process.once('exit', resolve))
    this.#socket.end()
    const timer = setTimeout(() => killGroup(this.#process), CLOSE_MS)
    await exited
    clearTimeout(timer)
    this.#socket.destroy()
    await this.#end()
  }

  #receive({ id, ok, error }: DriverResponse): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error === undefined) waiting?.resolve(ok)
    else waiting?.reject(stepFailure(error, this.node))
  }

  #lose(): void {
    this.#gone ??= new SparkUnavailable(
      'Spark ended while Orbweaver was using it: the step that ran was undone and changed nothing; run it again',
    )
    for (const waiting of this.#waiting.values()) waiting.reject(this.#gone)
    this.#waiting.clear()
  }
}

const CLOSE_MS = 20_000
const OLDEST = [3, 5] as const
const DRIVER = fileURLToPath(programFile('adapters/spark/spark-driver.py'))
/** The folder of this package. */
export const PACKAGE = fileURLToPath(PACKAGE_FOLDER)

function submitArguments(
  options: SparkOptions,
  master: string,
  folder: string,
  socketPath: string,
): string[] {
  const conf = {
    ...DEFAULT_CONF,
    'spark.sql.warehouse.dir': join(folder, 'warehouse'),
    ...options.conf,
    ...REQUIRED_CONF,
  }
  const settings = Object.entries(conf).flatMap(([key, value]) => ['--conf', `${key}=${value}`])
  return [
    '--master',
    master,
    '--deploy-mode',
    'client',
    '--name',
    'orbweaver',
    ...settings,
    DRIVER,
    socketPath,
  ]
}

/** Whether the executors are on this machine. */
function isLocal({ master = 'local[*]' }: SparkOptions): boolean {
  return master.startsWith('local')
}

/** A spark-submit of PyPI finds Spark through the Python of its own virtual environment. */
function submitEnvironment(submit: string): NodeJS.ProcessEnv {
  const folder = dirname(submit)
  const python = join(folder, 'python3')
  return {
    ...process.env,
    PATH: [folder, process.env['PATH']].join(delimiter),
    PYSPARK_PYTHON: process.env['PYSPARK_PYTHON'] ?? (existsSync(python) ? python : 'python3'),
  }
}

/** Can be changed in `engine.spark.conf`. */
const DEFAULT_CONF = {
  'spark.ui.enabled': 'false',
  'spark.ui.showConsoleProgress': 'false',
  'spark.log.level': 'ERROR',
  'spark.sql.parquet.compression.codec': 'zstd',
  'spark.task.maxFailures': '2',
  // A query with LIMIT is one job, not one for the first partition and further ones for the others.
  'spark.sql.limit.initialNumPartitions': '64',
  // Descriptions of plans are for the web interface, and take as long as a small step.
  'spark.sql.maxPlanStringLength': '1000',
  'spark.sql.ui.explainMode': 'simple',
}

/** The SQL of this adapter depends on them. */
const REQUIRED_CONF = {
  'spark.sql.ansi.enabled': 'true',
  'spark.sql.session.timeZone': 'UTC',
  'spark.sql.caseSensitive': 'false',
  // Names of files are not tables: SQL of users reads the tables of the crawl only.
  'spark.sql.runSQLOnFiles': 'false',
  // A join of `urls` by host and URL uses its buckets, which are by host.
  'spark.sql.requireAllClusterKeysForCoPartition': 'false',
  'spark.sql.sources.bucketing.autoBucketedScan.enabled': 'false',
  // Each task writes one bucket; without this it sorts its rows by bucket first.
  'spark.sql.maxConcurrentOutputFileWriters': '64',
}

function checkVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  throw new SparkUnavailable(
    `this is Spark ${version}, and Orbweaver needs ${OLDEST.join('.')} or newer: set engine.spark.submit to the spark-submit of a newer one. Nothing was changed`,
  )
}

/** Waits for the driver to connect and to report its version. */
function ready(
  child: ChildProcess,
  server: Server,
  output: OutputTail,
  { submit, master, seconds }: { submit: string; master: string; seconds: number },
): Promise<{ socket: Socket; version: string }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const reason = /accepted any resources/.test(output.text)
        ? 'no executor is free'
        : `it printed: ${output.text.split('\n').filter(Boolean).at(-1) ?? 'nothing'}`
      reject(
        new SparkUnavailable(
          `Spark at ${master} was not ready after ${seconds} seconds (engine.spark.startSeconds): ${reason}. Check that the master runs and has free executors. Nothing was changed`,
        ),
      )
    }, seconds * 1000)
    const settle = (work: () => void) => {
      clearTimeout(timer)
      work()
    }
    child.once('error', (error) => settle(() => reject(startFailure(submit, master, error.message))))
    child.once('exit', () => settle(() => reject(startFailure(submit, master, output.text))))
    server.once('connection', (socket) => {
      socket.once('data', (first) => {
        const { ok } = JSON.parse(String(first)) as { ok: { version: string } }
        settle(() => resolve({ socket, version: ok.version }))
      })
    })
  })
}

/** The driver, the JVM and local executors are in the process group of spark-submit. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** The last output of a process. */
class OutputTail {
  text = ''

  constructor(child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.text = (this.text + text).slice(-20_000)
      })
  }
}

function onLines(socket: Socket, onLine: (line: string) => void): void {
  let partial = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    if (!text.includes('\n')) {
      partial += text
      return
    }
    const lines = (partial + text).split('\n')
    partial = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  })
}
