import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { isAlive } from '../../adapters/crawl-directory/crawl-lock.ts'
import { processStart } from '../../adapters/crawl-directory/process-start.ts'
import { type ControlJob, job } from '../../adapters/serve/control/control-schemas.ts'
import { replaceFile } from '../../base/durable-files.ts'
import { ifExists } from '../../base/if-exists.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'

/** The process that works on a job, or that is about to start its process. */
const owner = z.strictObject({ pid: z.int(), host: z.string(), processStart: z.string().exactOptional() })

const schema = z.strictObject({ job, owner })

/** `job.json` of a crawl directory: the last job that was started over the control API. */
export type JobRecord = z.output<typeof schema>

/** With the state `interrupted` if its process has ended without a result. `undefined`: there was none, or the file cannot be understood. */
export async function readJob(directory: string): Promise<JobRecord | undefined> {
  const text = await ifExists(readFile(jobFile(directory), 'utf8'))
  const record = text === undefined ? undefined : schema.safeParse(jsonIn(text)).data
  if (record === undefined || record.job.state !== 'running' || isOwnerAlive(record)) return record
  return { ...record, job: { ...record.job, state: 'interrupted' } }
}

/** One writer at a time: the server before it starts the process of the job and after its end, that process in between. */
export async function writeJob(directory: string, written: ControlJob): Promise<void> {
  const record: JobRecord = {
    job: written,
    owner: {
      ...{ pid: process.pid, host: hostname() },
      ...withoutUndefined({ processStart: processStart(process.pid) }),
    },
  }
  await replaceFile(jobFile(directory), [`${JSON.stringify(record, undefined, 2)}\n`])
}

/** The output of the process of the last job. */
export function jobLogFile(directory: string): string {
  return join(directory, 'job.log')
}

function jobFile(directory: string): string {
  return join(directory, 'job.json')
}

function isOwnerAlive({ owner: of }: JobRecord): boolean {
  return isAlive({ ...of, since: '', command: '' })
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
