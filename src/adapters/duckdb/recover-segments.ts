import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from './session.ts'
import { publishSegment, temporaryName } from './write-fetch-lists.ts'

/**
 * Finishes what a killed process left behind: a new segment that the database knows gets its name, any other is deleted, and so is one
 * that was being deleted.
 */
export async function recoverSegments(session: Session, segmentsPath: string): Promise<void> {
  const known = new Set(
    (await session.all<{ name: string }>('SELECT name FROM segments')).map(({ name }) => name),
  )
  const present = new Set(await readdir(segmentsPath))
  for (const entry of present) {
    if (/^\.\d{14}\.removed$/.test(entry)) await rm(join(segmentsPath, entry), { recursive: true })
    const name = /^\.(\d{14})\.tmp$/.exec(entry)?.[1]
    if (name === undefined) continue
    if (known.has(name) && !present.has(name)) await publishSegment(segmentsPath, name)
    else await rm(join(segmentsPath, temporaryName(name)), { recursive: true, force: true })
  }
}
