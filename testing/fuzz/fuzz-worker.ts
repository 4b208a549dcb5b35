import { parentPort, workerData } from 'node:worker_threads'
import { seededRandom } from '../../test/crash/random.ts'
import { Coverage } from './coverage.ts'
import { bytesOf, type FuzzTarget } from './fuzz-target.ts'
import { FUZZ_TARGETS } from './fuzz-targets.ts'
import { Mutator } from './mutator.ts'

export interface FuzzWorkerData {
  readonly target: string
  readonly seed: number
  /** Kept inputs of earlier runs. */
  readonly corpus: readonly Uint8Array[]
  /** Where the input under test is written, so that it is known if the worker hangs. Its first element is the length. */
  readonly current: Int32Array
  /** How many inputs have begun. */
  readonly begun: Int32Array
}

export type FuzzMessage =
  | { readonly kind: 'progress'; readonly runs: number; readonly inputs: number; readonly blocks: number }
  | { readonly kind: 'finding'; readonly input: Uint8Array; readonly problem: string }

/** Inputs between two looks at the coverage, which takes some milliseconds. */
const BATCH = 100
/** Attempts to shorten one input. */
const MAX_SHORTENINGS = 2_000
/** An input this slow, three times in a row, is a finding: no ordinary one takes a hundredth of it. */
const SLOW_MS = 1_000

class FuzzLoop {
  readonly #target: FuzzTarget
  readonly #data: FuzzWorkerData
  readonly #mutator: Mutator
  readonly #coverage = new Coverage()
  readonly #inputs: Buffer[] = []
  readonly #problems = new Set<string>()
  #runs = 0

  constructor(target: FuzzTarget, data: FuzzWorkerData) {
    this.#target = target
    this.#data = data
    this.#mutator = new Mutator(seededRandom(data.seed), target.tokens)
  }

  start(): void {
    const known = [
      ...this.#target.seeds.map(bytesOf),
      ...this.#data.corpus.map((bytes) => Buffer.from(bytes)),
    ]
    for (const input of known) {
      this.#run(input)
      this.#coverage.takeNew({ remember: true })
      this.#inputs.push(input)
    }
    this.#next()
  }

  /** One batch at a time, so that the thread can be stopped and messages leave it. */
  #next(): void {
    const batch = Array.from({ length: BATCH }, () => this.#mutator.mutate(this.#inputs))
    this.#explore(batch)
    tell({ kind: 'progress', runs: this.#runs, inputs: this.#inputs.length, blocks: this.#coverage.size })
    setImmediate(() => this.#next())
  }

  /** Runs inputs and keeps those that reach new code. A look at the coverage costs more than a run: halves are searched. */
  #explore(batch: readonly Buffer[]): void {
    for (const input of batch) this.#run(input)
    const isNew = this.#coverage.takeNew({ remember: batch.length === 1 })
    if (!isNew) return
    const [only] = batch
    if (batch.length === 1 && only !== undefined) this.#inputs.push(only)
    else {
      const middle = batch.length >> 1
      this.#explore(batch.slice(0, middle))
      this.#explore(batch.slice(middle))
    }
  }

  #run(input: Buffer): void {
    this.#runs++
    const problem = this.#problemOf(input)
    if (problem === undefined || this.#problems.has(kindOf(problem))) return
    this.#problems.add(kindOf(problem))
    const shortest = this.#shortened(input, kindOf(problem))
    tell({ kind: 'finding', input: shortest, problem: this.#problemOf(shortest) ?? problem })
  }

  #problemOf(input: Buffer): string | undefined {
    this.#data.current.set([input.length, ...input.subarray(0, this.#data.current.length - 1)])
    Atomics.add(this.#data.begun, 0, 1)
    for (let attempt = 1; ; attempt++) {
      const start = performance.now()
      try {
        this.#target.check(input)
      } catch (error) {
        return error instanceof Error ? (error.stack ?? error.message) : String(error)
      }
      const ms = performance.now() - start
      if (ms < SLOW_MS) return undefined
      if (attempt === 3) return `slow: ${Math.round(ms)} ms for ${input.length} bytes`
    }
  }

  /** Removes pieces, from large to small, as long as the same problem shows. */
  #shortened(input: Buffer, kind: string): Buffer {
    let best = input
    let left = MAX_SHORTENINGS
    for (let size = best.length >> 1; size >= 1; size >>= 1) {
      for (let at = 0; at < best.length && left-- > 0; ) {
        const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)])
        const problem = this.#problemOf(shorter)
        if (problem !== undefined && kindOf(problem) === kind) best = shorter
        else at += size
      }
    }
    return best
  }
}

/** What two findings of one defect have in common: the message without its values, and the place. */
function kindOf(problem: string): string {
  const [message = '', ...frames] = problem.split('\n')
  const place = frames.find((frame) => frame.includes('/src/')) ?? frames[0] ?? ''
  return `${message.split(':').slice(0, 2).join(':').replace(/\d+/g, '0')} ${place.trim()}`
}

function tell(message: FuzzMessage): void {
  parentPort?.postMessage(message)
}

const data = workerData as FuzzWorkerData
const target = FUZZ_TARGETS.find(({ name }) => name === data.target)
if (target !== undefined) new FuzzLoop(target, data).start()
