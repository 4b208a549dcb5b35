import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Makes V8 collect garbage sooner, in this process and its threads. A crawl allocates thousands of pages that live for seconds; by default, V8 lets
 * garbage grow to a multiple of the live heap if the machine has free memory. This is not a memory limit. It costs up to a tenth of the CPU time
 * on sites with many small pages (bench/experiments.md).
 *
 * Node.js documents limits for its command line and for threads (`resourceLimits`), but none that a running program can set for its main
 * thread. All versions of V8 since 2014 have these flags.
 *
 * Node.js cannot use the compiled code of its own modules after a flag has changed: call this when the program is loaded.
 */
export function limitHeapGrowth(): void {
  // Collect when the heap has grown by 90 % of its live size.
  setFlagsFromString('--heap-growing-percent=90')
  // The space of new objects doubles whenever many objects survive, up to 64 MB or more: no larger than 16 MB.
  const timer = setInterval(() => {
    if (newSpaceBytes() < 2 * SEMI_SPACE_MB * 1_000_000) return
    clearInterval(timer)
    setFlagsFromString('--semi-space-growth-factor=1')
    // Threads that start later cannot grow theirs either, so that they start with it.
    setFlagsFromString(`--min-semi-space-size=${SEMI_SPACE_MB}`)
  }, CHECK_MS)
  timer.unref()
}

/** The space of new objects is two of these. */
const SEMI_SPACE_MB = 8
const CHECK_MS = 100

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
