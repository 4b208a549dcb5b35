import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LockFiles, releaseLock, runSteps, type Steps, takeLock } from './lock-protocol.ts'

const FILE = 'lock'

class MemoryFiles implements LockFiles {
  readonly texts = new Map<string, string>()

  create(file: string, text: string): boolean {
    if (this.texts.has(file)) return false
    this.texts.set(file, text)
    return true
  }

  replace(file: string, text: string): void {
    this.texts.set(file, text)
  }

  read(file: string): string | undefined {
    return this.texts.get(file)
  }

  remove(file: string): void {
    this.texts.delete(file)
  }
}

/** Processes that take a lock and release it again, one file operation at a time. */
class Race {
  readonly files = new MemoryFiles()
  readonly #dead = new Set(['dead'])
  readonly #taking = new Map<string, Steps<string | undefined>>()
  readonly #releasing = new Map<string, Steps<void>>()
  readonly owners = new Set<string>()

  constructor(names: readonly string[]) {
    this.files.create(FILE, 'dead')
    for (const name of names) this.#taking.set(name, takeLock(this.files, FILE, name, this.isAbandoned))
  }

  readonly isAbandoned = (text: string): boolean => this.#dead.has(text)

  /** One step of one process; it does nothing once that process is done. An owner begins to release the lock with its next step. */
  step(name: string): void {
    if (this.#dead.has(name)) return
    if (this.owners.delete(name))
      this.#releasing.set(name, releaseLock(this.files, FILE, name, this.isAbandoned))
    this.#releasing.get(name)?.next()
    const { done, value } = this.#taking.get(name)?.next() ?? {}
    if (done !== true) return
    this.#taking.delete(name)
    if (value === undefined) this.owners.add(name)
  }

  kill(name: string): void {
    this.#dead.add(name)
    this.owners.delete(name)
  }
}

describe('takeLock', () => {
  it('gives an abandoned lock to one of three that found it at the same time', () => {
    const race = new Race(['a', 'b', 'c'])
    // All three have read the abandoned lock; a replaces it; b and c continue in turns.
    for (const name of ['a', 'b', 'c']) for (let i = 0; i < 3; i++) race.step(name)
    while (!race.owners.has('a')) race.step('a')
    for (let i = 0; i < 200; i++) for (const name of ['b', 'c']) race.step(name)
    expect([...race.owners]).toEqual(['a'])
    expect(race.files.read(FILE)).toBe('a')
  })

  it('has at most one living owner, in every order of steps and kills', () => {
    const names = ['a', 'b', 'c', 'd']
    const step = fc.record({
      name: fc.constantFrom(...names),
      times: fc.integer({ min: 1, max: 6 }),
      kill: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 80 }), (schedule) => {
        const race = new Race(names)
        for (const { name, times, kill } of schedule) {
          for (let i = 0; i < times; i++) {
            race.step(name)
            expect(race.owners.size).toBeLessThan(2)
          }
          if (kill) race.kill(name)
        }
        // Files left behind block no process once all owners are dead.
        for (const name of names) race.kill(name)
        expect(runSteps(takeLock(race.files, FILE, 'late', race.isAbandoned))).toBeUndefined()
        expect(race.files.read(FILE)).toBe('late')
      }),
      { numRuns: 3_000, seed: 7 },
    )
  })

  it('leaves no claim behind', () => {
    const race = new Race(['a'])
    while (!race.owners.has('a')) race.step('a')
    expect([...race.files.texts.keys()]).toEqual([FILE])
    for (let i = 0; i < 20; i++) race.step('a')
    expect([...race.files.texts.keys()]).toEqual([])
  })
})

describe('releaseLock', () => {
  it('leaves a lock that another process has taken by force', () => {
    const files = new MemoryFiles()
    runSteps(takeLock(files, FILE, 'loser', () => false))
    const force = (_: string, kind: 'lock' | 'claim') => kind === 'lock'
    expect(runSteps(takeLock(files, FILE, 'winner', force))).toBeUndefined()
    runSteps(releaseLock(files, FILE, 'loser', () => false))
    expect(files.read(FILE)).toBe('winner')
  })
})
