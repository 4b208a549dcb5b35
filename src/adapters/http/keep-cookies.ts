import type { Clock } from '../../base/clock.ts'
import type { CookieJar, CookieState } from './cookie-jar.ts'

/** Storage of cookies between processes. */
export interface CookieMemory {
  /** Empty when nothing was ever saved. */
  load(): Promise<readonly CookieState[]>
  save(states: readonly CookieState[]): Promise<void>
}

const SAVE_EVERY_MS = 5_000

/**
 * Does `work` with a jar that holds what the last process left in `memory`, and leaves there what the next one needs: every few seconds
 * when something changed, and at the end.
 * @param work is told how to save at once, which costs nothing when nothing changed. Call it before a page is recorded as
 *   done: the page may have been the login, and is not fetched again.
 */
export async function keepCookies<T>(
  jar: CookieJar,
  memory: CookieMemory,
  clock: Clock,
  work: (save: () => Promise<void>) => Promise<T>,
): Promise<T> {
  jar.restore(await memory.load())
  let saved = jar.changes
  let last: Promise<void> = Promise.resolve()
  const saveChanges = async (): Promise<void> => {
    const { changes } = jar
    if (changes === saved) return
    await memory.save(jar.snapshot())
    saved = changes
  }
  // One at a time; the next save includes one that failed.
  const save = (): Promise<void> => {
    last = last.then(saveChanges, saveChanges)
    return last
  }
  let cancel = clock.after(SAVE_EVERY_MS, function again() {
    save().catch(() => {})
    cancel = clock.after(SAVE_EVERY_MS, again)
  })
  try {
    return await work(save)
  } finally {
    cancel()
    await save()
  }
}
