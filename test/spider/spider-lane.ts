import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { openCrawlDirectoryToRead } from '../../src/adapters/duckdb/open-crawl-directory-to-read.ts'
import type { WebPlan } from '../../testing/synthetic-web/plan-sites.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { CommandProcess, type Ended } from '../crash/command-process.ts'
import { AT_WORK } from '../crash/die-at-step.ts'

/** When to kill: this long after the directory was locked, or by the process itself (see `dieAtStep`). */
export type Death = { readonly afterLockMs: number } | { readonly step: string }

/** The result of a spider, without times. */
export interface SpiderState {
  readonly statuses: readonly string[]
  readonly failed: readonly string[]
  /** Items by export. */
  readonly items: Readonly<Record<string, readonly string[]>>
  readonly pending: number
}

/** One crawl by a spider that is killed and run again, with its own web, which records all requests. */
export class SpiderLane {
  readonly web: SyntheticWeb
  readonly path: string
  readonly #args: readonly string[]

  private constructor(web: SyntheticWeb, path: string, spiderFile: string) {
    this.web = web
    this.path = path
    this.#args = [
      ...['run', spiderFile, '--dir', path, '--arg', `seeds=${web.seeds.join(' ')}`],
      ...['--out', `${path}.jsonl`, '--out', `${path}.csv`, '--json'],
    ]
  }

  static async start(folder: string, name: string, plan: WebPlan): Promise<SpiderLane> {
    const spiderFile = join(folder, `${name}.ts`)
    const source = pathToFileURL(join(import.meta.dirname, 'web-spider.ts')).href
    writeFileSync(
      spiderFile,
      `import { webSpider } from '${source}'\nexport default ({ seeds }) => webSpider(seeds.split(' '))\n`,
    )
    return new SpiderLane(await startSyntheticWeb(plan), join(folder, name), spiderFile)
  }

  /** Runs to the end. Exit code 1 is allowed: a killed run may have completed the crawl already. */
  async run(): Promise<Ended> {
    const ended = await new CommandProcess(this.#args).ended
    if (ended.exitCode === 0 || ended.exitCode === 1) return ended
    throw new Error(`it ended with ${ended.exitCode}: ${ended.stdout}${ended.stderr}`)
  }

  /** Returns whether the process was still running when it was killed. If not, it must have succeeded. */
  async runAndKill(death: Death): Promise<boolean> {
    const child = new CommandProcess(this.#args, 'step' in death ? death.step : 'never')
    if ('afterLockMs' in death) {
      await Promise.race([child.says(AT_WORK), child.ended])
      await Promise.race([setTimeout(death.afterLockMs), child.ended])
      child.kill('SIGKILL')
    }
    const { exitCode, stdout, stderr } = await child.ended
    if (exitCode !== null && exitCode > 1) throw new Error(`it ended with ${exitCode}: ${stdout}${stderr}`)
    return exitCode === null
  }

  async state(): Promise<SpiderState> {
    const directory = await openCrawlDirectoryToRead(this.path, { command: 'test', threads: 1 })
    try {
      const { rows } = await directory.reader.sql('SELECT url, status FROM crawldb ORDER BY url')
      const { rows: requests } = await directory.reader.sql('SELECT count(*)::INTEGER FROM requests')
      const failed = await directory.deadLetters.failed()
      return {
        statuses: rows.map(([url, status]) => this.#withoutPort(`${url} ${status}`)),
        failed: failed.map(({ request, code }) => this.#withoutPort(`${request.url} ${code}`)).sort(),
        items: {
          jsonl: this.#exported('jsonl', (line) => String(JSON.parse(line).url)),
          csv: this.#exported('csv', (line) => line.split(',')[0] ?? '').filter((url) => url !== 'url'),
        },
        pending: Number(requests[0]?.[0]),
      }
    } finally {
      await directory.close()
    }
  }

  #exported(format: string, urlOf: (line: string) => string): string[] {
    const lines = readFileSync(`${this.path}.${format}`, 'utf8').trim().split(/\r?\n/)
    return lines.map((line) => this.#withoutPort(urlOf(line))).sort()
  }

  /** Different for the web of each lane. */
  #withoutPort(text: string): string {
    return text.replace(/(\/\/[\d.]+):\d+/, '$1')
  }
}
