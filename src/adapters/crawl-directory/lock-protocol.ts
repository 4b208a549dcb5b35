import { createHash } from 'node:crypto'

/** What the protocol needs of the file system. Each operation is atomic; no process reads half a file. */
export interface LockFiles {
  /** `false` when there is a file already. */
  create(file: string, text: string): boolean
  replace(file: string, text: string): void
  /** `undefined` when there is none. */
  read(file: string): string | undefined
  /** Does nothing when there is none. */
  remove(file: string): void
}

/** Judges the owner of a lock or a claim by its text. */
export type IsAbandoned = (text: string, kind: 'lock' | 'claim') => boolean

/** Runs to its next file operation with each `next`: other processes may run in between, and tests make them. */
export type Steps<Result> = Generator<undefined, Result>

/**
 * Takes a lock for `text`, which no other attempt of any process ever used. Returns `undefined` when it is taken, else the text of the owner.
 *
 * A free lock is created, which is atomic. An abandoned one is replaced, never removed, so that there is no moment at which another process could create
 * one. Only the holder of the claim on exactly this abandoned text may replace it. A claim is a lock itself: when its holder died, it is taken over in the
 * same way.
 */
export function* takeLock(
  files: LockFiles,
  file: string,
  text: string,
  isAbandoned: IsAbandoned,
  kind: 'lock' | 'claim' = 'lock',
): Steps<string | undefined> {
  let owner = ''
  // Bounded: another round is needed only when others take, release or claim the lock at the same moment.
  for (let round = 0; round < 10; round++) {
    yield
    if (files.create(file, text)) return undefined
    yield
    const found = files.read(file)
    if (found === undefined) continue
    owner = found
    if (!isAbandoned(found, kind)) return owner
    const rival = yield* withClaim(files, file, found, text, isAbandoned, () => files.replace(file, text))
    if (rival === undefined) return undefined
    owner = rival
  }
  return owner
}

/** Does nothing when another process has replaced the lock. */
export function* releaseLock(
  files: LockFiles,
  file: string,
  text: string,
  isAbandoned: IsAbandoned,
): Steps<void> {
  yield* withClaim(files, file, text, text, isAbandoned, () => files.remove(file))
}

/**
 * Runs `change` while no other process may change the lock, if its text is still `found`.
 * Returns `undefined` when it did, else the text of the process that was faster.
 */
function* withClaim(
  files: LockFiles,
  file: string,
  found: string,
  text: string,
  isAbandoned: IsAbandoned,
  change: () => void,
): Steps<string | undefined> {
  const claim = claimOn(file, found)
  const holder = yield* takeLock(files, claim, text, isAbandoned, 'claim')
  if (holder !== undefined) return holder
  yield
  const now = files.read(file)
  if (now === found) {
    yield
    change()
  }
  yield
  files.remove(claim)
  return now === found ? undefined : (now ?? '')
}

/** The file of the claim on a lock with this text. Claims on that claim begin with its name. */
export function claimOn(file: string, text: string): string {
  return `${file}.claim-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

/** Runs all steps at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
