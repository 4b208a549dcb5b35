import type { PageToParse } from '../../domain/parse/parsed-page.ts'

/** A message to a thread. */
export interface ParseBatch {
  readonly pages: readonly PageToParse[]
  readonly start: BatchStart
}

/** Memory that the thread shares with its caller: its id (0: it has not begun), and the CPU time it had used when it began, in ms. */
export type BatchStart = Float64Array<SharedArrayBuffer>

export function newBatchStart(): BatchStart {
  return new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT))
}

/** @param cpu of the thread; `undefined`: this version of Node.js does not tell */
export function markStart(start: BatchStart, threadId: number, cpu: NodeJS.CpuUsage | undefined): void {
  start[1] = cpu === undefined ? Number.NaN : (cpu.user + cpu.system) / 1000
  start[0] = threadId
}
