import { mkdtemp } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where files are written before they are put into an object store. */
export interface StagingFolder {
  readonly folder: string
  /** Whether it is to be removed at the end of the run. */
  readonly isTemporary: boolean
}

/**
 * A folder that outlives the process if something has to be resumed: in the crawl directory, or in the home of the user for a consumer, whose
 * items are nowhere else.
 */
export async function stagingFolder(
  directory: string | undefined,
  isOnlyCopy: boolean,
): Promise<StagingFolder> {
  if (directory !== undefined) return { folder: join(directory, 'exports'), isTemporary: false }
  if (isOnlyCopy) {
    return { folder: join(stateFolder(), 'exports'), isTemporary: false }
  }
  return { folder: await mkdtemp(join(tmpdir(), 'orbweaver-exports-')), isTemporary: true }
}

/** The folder of this program in the home of the user, for files that outlive a process. */
export function stateFolder(): string {
  return join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'orbweaver')
}
