import type { SegmentPart } from './segment-progress.ts'

/** Parts that are merged together. */
export interface PartBatch {
  readonly parts: readonly SegmentPart[]
  /** Segments without parts in later batches. Each segment is in one batch. */
  readonly segments: readonly string[]
}

/**
 * Divides parts into batches of at most `maxLinks` links, in their order. A part with more links is a batch of its own.
 * There is at least one batch.
 * @param segments names of all segments, also of those without parts
 */
export function divideParts(
  parts: readonly SegmentPart[],
  segments: readonly string[],
  linksOf: (part: SegmentPart) => number,
  maxLinks: number,
): PartBatch[] {
  const batches: SegmentPart[][] = [[]]
  const lastBatch = new Map<string, number>()
  let links = 0
  for (const part of parts) {
    links += linksOf(part)
    if (links > maxLinks && batches.at(-1)?.length !== 0) {
      batches.push([])
      links = linksOf(part)
    }
    batches.at(-1)?.push(part)
    lastBatch.set(part.segment, batches.length - 1)
  }
  return batches.map((batch, i) => ({
    parts: batch,
    segments: segments.filter((segment) => (lastBatch.get(segment) ?? batches.length - 1) === i),
  }))
}
