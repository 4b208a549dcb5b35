import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { DurableFiles } from '../../base/durable-files.ts'
import type { Merge } from '../../domain/segment/segment-merger.ts'

/** In the directory of a segment that was merged from others: which, and how. It comes with the segment, whole or not at all. */
const MERGE_FILE = 'merged.json'

const mergeRecord = z.object({ from: z.array(z.string()), into: z.array(z.string()), how: z.string() })

export async function writeMerge(disk: DurableFiles, segmentPath: string, merge: Merge): Promise<void> {
  const file = join(segmentPath, MERGE_FILE)
  await disk.write(file, [`${JSON.stringify(merge)}\n`])
  await disk.sync(file)
  await disk.sync(segmentPath)
}

/** The merges whose new segments are all among `names`. A record that cannot be read is none: the merge can be made again. */
export async function readMerges(segmentsPath: string, names: readonly string[]): Promise<Merge[]> {
  const merges = new Map<string, Merge>()
  for (const name of names) {
    const text = await readFile(join(segmentsPath, name, MERGE_FILE), 'utf8').catch(() => undefined)
    const merge = text === undefined ? undefined : parseMerge(text)
    if (merge?.into.every((other) => names.includes(other))) merges.set(merge.into.join(), merge)
  }
  return [...merges.values()]
}

function parseMerge(text: string): Merge | undefined {
  try {
    return mergeRecord.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
