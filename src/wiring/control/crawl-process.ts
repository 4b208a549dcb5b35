import type { ControlJob } from '../../adapters/serve/control/control-schemas.ts'
import { wallClock } from '../../base/clock.ts'
import { CrawlError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { openCrawl } from '../open-crawl.ts'
import { readJob, writeJob } from './job-file.ts'
import { type OperatorOptions, openOptionsOf } from './operator-options.ts'

/**
 * The process of one job of the control API: `crawl-process.ts <directory> <operator options>`. It reads the job from the crawl directory and writes its
 * result there, so that neither is lost with the server. Its output is the log of the job.
 */

const [directory = '', operator = '{}'] = process.argv.slice(2)
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())

void main()

async function main(): Promise<void> {
  const record = await readJob(directory)
  if (record === undefined) throw new RangeError(`there is no job in ${directory}`)
  const { job } = record
  await writeJob(directory, { ...job, state: 'running' })
  say(`job ${job.id} (${job.kind}) started, pid ${process.pid}`)
  const end = await runJob(job)
  await writeJob(directory, { ...job, ...end, endedAt: wallClock.now() })
  say(`job ${job.id} ${end.state}${end.error === undefined ? '' : `: ${end.error.message}`}`)
}

async function runJob({ kind, limits }: ControlJob): Promise<Pick<ControlJob, 'state' | 'result' | 'error'>> {
  try {
    const options = await openOptionsOf(directory, JSON.parse(operator) as OperatorOptions)
    await using crawl = await openCrawl(directory, { ...options, create: false, onMessage: say })
    if (kind === 'index') {
      const targets = await crawl.index({ signal: stop.signal })
      const isDone = targets.every(({ ended }) => ended === 'done')
      const indexed = targets.reduce((sum, { put }) => sum + put, 0)
      return {
        state: isDone ? 'finished' : stop.signal.aborted ? 'stopped' : 'failed',
        result: { ended: targets[0]?.ended ?? 'done', indexed },
      }
    }
    const { maxPages, rounds, maxMinutes, index } = limits
    const result = await crawl.run({
      ...withoutUndefined({ maxPages, rounds, index }),
      ...(maxMinutes !== undefined && { maxTimeSeconds: maxMinutes * 60 }),
      signal: stop.signal,
    })
    const { ended, pages, added, due, durationMs, failures } = result
    return {
      state: ended === 'interrupted' ? 'stopped' : 'finished',
      result: {
        ...{ ended, pages, added, due, durationMs },
        failures: failures.map(({ kind: failure, count }) => ({ kind: failure, count })),
      },
    }
  } catch (error) {
    process.exitCode = 1
    if (error instanceof CrawlError)
      return { state: 'failed', error: { code: error.code, message: error.message } }
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return {
      state: 'failed',
      error: { code: 'UNEXPECTED', message: 'unexpected error; the log has the details' },
    }
  }
}

function say(line: string): void {
  process.stdout.write(`${new Date(wallClock.now()).toISOString()} ${line}\n`)
}
