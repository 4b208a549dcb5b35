import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExitCode } from '../src/cli/command-context.ts'
import { run } from '../src/cli/main.ts'
import { type DemoWeb, startDemoWeb } from '../src/demo/demo-web.ts'
import { RecordingTerminal } from './recording-terminal.ts'

/** The result of a command line. */
export interface CommandRun {
  readonly exitCode: ExitCode
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command line in this process. @param input standard input */
export async function command(args: readonly string[], input = ''): Promise<CommandRun> {
  const terminal = new RecordingTerminal(input)
  const exitCode = await run(args, terminal)
  return { exitCode, stdout: terminal.stdout, stderr: terminal.stderr }
}

/** Runs it with `--json` and returns the document. */
export async function commandJson<T>(args: readonly string[], input = ''): Promise<T> {
  const { stdout, stderr } = await command([...args, '--json'], input)
  if (stdout === '') throw new Error(`no document; stderr: ${stderr}`)
  return JSON.parse(stdout) as T
}

/** For fetches from the demo web: no delay, and no threads to start. */
export const QUICK = ['--delay', '0', '--parse-threads', '0', '--email', 'test@localhost'] as const

/** The demo web and a folder for crawls of it. */
export class DemoCrawls {
  readonly web: DemoWeb
  readonly folder: string

  private constructor(web: DemoWeb, folder: string) {
    this.web = web
    this.folder = folder
  }

  static async start(): Promise<DemoCrawls> {
    return new DemoCrawls(await startDemoWeb(), mkdtempSync(join(tmpdir(), 'orbweaver-cli-')))
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** A crawl of the bakery and the personal page, two rounds deep: robots, redirects, a 410 and duplicates are in it. */
  async crawl(name: string): Promise<string> {
    const dir = this.path(name)
    const seeds = [this.web.url('bakery', '/'), this.web.url('home', '/')]
    const { exitCode, stderr } = await command(['crawl', dir, ...seeds, '--rounds', '2', ...QUICK])
    if (exitCode !== 0) throw new Error(stderr)
    return dir
  }

  async close(): Promise<void> {
    await this.web.close()
    rmSync(this.folder, { recursive: true })
  }
}
