import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { OrbweaverConfig } from '../../src/adapters/config/config-schema.ts'
import { run } from '../../src/cli/main.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'

export interface CommandRun {
  readonly exitCode: number
  readonly stderr: string
  /** Output of `--json`. */
  readonly document: unknown
}

/** A crawl directory with its own configuration, and the commands to work on it. */
export class CrawlDirectoryUnderTest {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async create(config: OrbweaverConfig): Promise<CrawlDirectoryUnderTest> {
    const path = await mkdtemp(join(tmpdir(), 'orbweaver-crawl-'))
    await writeFile(join(path, 'orbweaver.config.json'), JSON.stringify(config))
    return new CrawlDirectoryUnderTest(join(path, 'crawl'))
  }

  /** Writes the seeds to a file: there may be too many for a command line. */
  async seedFile(urls: readonly string[]): Promise<string> {
    const file = join(this.path, '..', 'seeds.txt')
    await writeFile(file, urls.join('\n'))
    return file
  }

  async run(
    command: string,
    args: readonly string[] = [],
    terminal: RecordingTerminal = new RecordingTerminal(),
  ): Promise<CommandRun> {
    const exitCode = await run([command, this.path, ...args, '--json'], terminal)
    if (exitCode > 1 && !terminal.interrupted.aborted)
      throw new Error(`${command} failed: ${terminal.stderr}`)
    return { exitCode, stderr: terminal.stderr, document: JSON.parse(terminal.stdout) }
  }

  /** The status of every URL in the CrawlDb. */
  async statuses(): Promise<Map<string, string>> {
    const rows = await this.sql<{ url: string; status: string }>('select url, status from crawldb')
    return new Map(rows.map(({ url, status }) => [url, status]))
  }

  async signatures(): Promise<Map<string, string | null>> {
    const rows = await this.sql<{ url: string; signature: string | null }>(
      'select url, signature from crawldb',
    )
    return new Map(rows.map(({ url, signature }) => [url, signature]))
  }

  async sql<Row>(query: string): Promise<Row[]> {
    return (await this.run('readdb', ['--sql', query])).document as Row[]
  }

  async remove(): Promise<void> {
    await rm(join(this.path, '..'), { recursive: true, force: true })
  }
}

/** A new crawl directory for a test; it is removed when the test is over. */
export function useCrawlDirectories(): (config: OrbweaverConfig) => Promise<CrawlDirectoryUnderTest> {
  const made: CrawlDirectoryUnderTest[] = []
  afterEach(async () => {
    await Promise.all(made.splice(0).map((directory) => directory.remove()))
  })
  return async (config) => {
    const directory = await CrawlDirectoryUnderTest.create(config)
    made.push(directory)
    return directory
  }
}
