import fs, { writeSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

/**
 * Makes this process kill itself at the n-th thing that it does to the disk: `7` right before the seventh, `7+` while the seventh is
 * under way; `rename` and `rename>` right before and after the first rename. These are the moments that decide whether a crash is safe, and a kill by the clock seldom meets them. `never` only counts.
 * What happened is the last line on stderr: `died at 7 rename`, or how many steps there were.
 */
export function dieAtStep(death: string): void {
  const target = Number.parseInt(death, 10)
  const isUnderWay = death.endsWith('+')
  let steps = 0
  const die = (name: string): void => {
    writeSync(STDERR, `\ndied at ${steps} ${name}\n`)
    process.kill(process.pid, 'SIGKILL')
  }
  const onStep = (name: string): void => {
    if (name === 'linkSync') writeSync(STDERR, `\n${AT_WORK}\n`)
    if (++steps !== target && name !== death) return
    if (!isUnderWay) die(name)
    // From the event loop: the step is in another thread by then. Busy threads may make it late; then it is another step that is hit.
    else setImmediate(() => die(name))
  }
  const onDone = (name: string): void => {
    if (death === `${name}>`) die(name)
  }
  watch(promises, ['mkdir', 'open', 'rename', 'rm', 'writeFile', 'readdir'], onStep, onDone)
  watch(fs, ['writeFileSync', 'linkSync', 'renameSync', 'rmSync', 'mkdirSync'], onStep)
  watch(DuckDBInstance, ['create'], onStep)
  watch(DuckDBInstance.prototype, ['closeSync'], onStep)
  watch(DuckDBConnection.prototype, ['run', 'stream', 'createAppender', 'disconnectSync'], onStep)
  syncBuiltinESMExports()
  process.on('exit', () => writeSync(STDERR, `\n${steps} steps\n`))
}

/** Said on stderr when the crawl directory is being locked: the start is over. */
export const AT_WORK = 'at work'

const STDERR = 2

/** Calls `onStep` before each of these methods, and `onDone` when one has come to its end. */
function watch(
  owner: object,
  names: readonly string[],
  onStep: (name: string) => void,
  onDone?: (name: string) => void,
): void {
  for (const name of names) {
    const method: unknown = Reflect.get(owner, name)
    if (typeof method !== 'function') throw new Error(`there is no ${name} to watch`)
    const watched = function (this: unknown, ...args: unknown[]): unknown {
      onStep(name)
      const result: unknown = Reflect.apply(method, this, args)
      return onDone !== undefined && result instanceof Promise ? result.finally(() => onDone(name)) : result
    }
    Reflect.set(owner, name, watched)
  }
}
