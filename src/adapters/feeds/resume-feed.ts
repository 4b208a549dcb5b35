import { rm } from 'node:fs/promises'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { currentFile, feedFiles, sizeOf } from './feed-path.ts'
import { type FeedState, FIRST_STATE } from './feed-states.ts'
import type { FilePlan } from './feed-target.ts'

/** Where a feed resumes. */
export interface Resumed {
  readonly state: FeedState
  /** Why what was there is written anew; `undefined`: it is not, or nothing was there. */
  readonly anew?: string
}

/**
 * Compares what is remembered of a feed with what is there. What is remembered holds: a file that is longer was written to by a process that
 * was killed, and is truncated when the feed resumes; a missing or shorter file is rewritten.
 * @param plan its path is the real one
 * @throws ConfigurationError when there is a file that nothing is remembered of, and it may not be replaced
 */
export async function resumeFeed(
  plan: FilePlan,
  remembered: FeedState | undefined,
  overwrite: boolean,
): Promise<Resumed> {
  const { path, format, fields } = plan
  const first = { ...FIRST_STATE, format, ...withFields(fields) }
  if (remembered === undefined) {
    await clear(path, overwrite)
    return { state: first }
  }
  if (remembered.format !== format) {
    await clear(path, true)
    return { state: first, anew: `it was written as ${remembered.format} before` }
  }
  if (JSON.stringify(remembered.fields) !== JSON.stringify(fields)) {
    await clear(path, true)
    return { state: first, anew: 'it was written with other fields before' }
  }
  const size = await sizeOf(currentFile(path, remembered))
  if (remembered.bytes <= (size ?? 0)) return { state: remembered }
  return {
    state: { ...remembered, position: remembered.from, bytes: 0, items: 0 },
    anew: size === undefined ? 'it is gone' : `it has ${size} bytes, not ${remembered.bytes}`,
  }
}

/**
 * The same for a file that has the only copy of its items. A missing file was moved away by its user: a new one is started.
 * @throws ConfigurationError also when the file is not as it was left
 */
export async function appendToFeed(
  plan: FilePlan,
  remembered: FeedState | undefined,
  overwrite: boolean,
): Promise<Resumed> {
  if (remembered === undefined) return resumeFeed(plan, remembered, overwrite)
  const { path, format, fields } = plan
  const file = currentFile(path, remembered)
  const size = await sizeOf(file)
  if (size === undefined)
    return { state: { ...remembered, format, bytes: 0, items: 0, ...withFields(fields) } }
  if (remembered.format !== format) throw changed(file, `was written as ${remembered.format} before`)
  if (JSON.stringify(remembered.fields) !== JSON.stringify(fields))
    throw changed(file, 'was written with other fields before')
  if (size < remembered.bytes) throw changed(file, `has ${size} bytes, not ${remembered.bytes}`)
  return { state: remembered }
}

function changed(file: string, how: string): ConfigurationError {
  return new ConfigurationError(
    'EXPORT_INVALID',
    `${file} ${how}, and has the only copy of its items: move it away, or name another file`,
  )
}

async function clear(path: string, overwrite: boolean): Promise<void> {
  const files = await feedFiles(path)
  if (!overwrite) {
    for (const file of files) {
      if ((await sizeOf(file)) !== 0)
        throw new ConfigurationError(
          'EXPORT_INVALID',
          `${file} is there, and this crawl has not written it: move it away, name another file, or allow to overwrite it (--overwrite)`,
        )
    }
  }
  for (const file of files) await rm(file, { force: true })
}

function withFields(fields: readonly string[] | undefined): Pick<FeedState, 'fields'> {
  return fields === undefined ? {} : { fields }
}
