import { DownloadOutput, ItemOutput, type Output, RequestOutput } from './output.ts'
import type { HandlerResult } from './spider-definition.ts'
import type { CallLimit } from './time-limit.ts'

/** The outputs of a handler. When it fails, none of its outputs count, the earlier ones included. */
export type HandlerOutputs = ReadonlyArray<ItemOutput<unknown> | RequestOutput | DownloadOutput>

/**
 * Maximum number of outputs of one page, empty ones included. No page has so many links; a handler that yields without end and without
 * a pause would never reach its time limit.
 */
export const MAX_OUTPUTS = 1_000_000

/**
 * Runs a handler to its end, and gives what `finish` makes of its outputs. A handler that does not wait shares a call with it: each call
 * waits for a turn of the event loop, while the page is in memory.
 * @throws whatever the handler does; `TimeLimitExceeded`; TypeError for an output that is none
 */
export async function runHandler<T>(
  handle: () => HandlerResult<unknown, string>,
  limit: CallLimit,
  finish: (outputs: HandlerOutputs) => T,
): Promise<T> {
  const outputs: Array<ItemOutput<unknown> | RequestOutput | DownloadOutput> = []
  let handedBack = 0
  let isOver = false
  const take = (output: unknown): void => {
    // Thrown into the handler: after a timeout it ends at its next yield.
    if (isOver) throw new Error('the handler was given up')
    if (++handedBack > MAX_OUTPUTS)
      throw new RangeError(`more than ${MAX_OUTPUTS} items and requests from one page`)
    if (output === undefined) return
    if (isOutput(output)) outputs.push(output)
    else if (isPlainObject(output)) outputs.push(new ItemOutput(output))
    else
      throw new TypeError(
        `a handler may yield or return page.item(…), a plain object, page.follow(…), page.download(…) or nothing, not ${shown(output)}`,
      )
  }
  // A generator's code runs only as it is read, so reading it belongs inside the call.
  const later = await limit.call(() => {
    const result = handle()
    if (isPromise(result) || isAsyncIterable(result)) return { result }
    takeAll(result, take)
    return { finished: finish(outputs) }
  })
  if ('finished' in later) return later.finished
  const { result } = later
  try {
    await limit.wait(isPromise(result) ? result.then((value) => takeAll(value, take)) : drain(result, take))
  } finally {
    isOver = true
  }
  return limit.call(() => finish(outputs))
}

function takeAll(result: unknown, take: (output: unknown) => void): void {
  if (isIterable(result)) for (const output of result) take(output)
  else take(result)
}

async function drain(
  outputs: AsyncIterable<Output<unknown, string>>,
  take: (output: unknown) => void,
): Promise<void> {
  for await (const output of outputs) take(output)
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise
}

function isAsyncIterable(value: unknown): value is AsyncIterable<Output<unknown, string>> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

function isOutput(output: unknown): output is HandlerOutputs[number] {
  return output instanceof ItemOutput || output instanceof RequestOutput || output instanceof DownloadOutput
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? `a ${value.constructor.name}` : String(value)
}
