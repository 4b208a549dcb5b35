import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { segmentName } from './segment-name.ts'

/** Makes a segment without a fetch list, to append to, and returns its name: that of the moment, or the next that is free. */
export async function createSegment(segmentsPath: string, nowMs: number): Promise<string> {
  for (let at = nowMs; ; at += 1000) {
    const name = segmentName(at)
    try {
      await mkdir(join(segmentsPath, name))
      return name
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
