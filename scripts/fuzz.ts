/** Runs one part of the program on mutated inputs until the time is up, and keeps the inputs that break it. `--help` tells more. */
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { keepInput, keptInputs } from '../testing/fuzz/corpus.ts'
import { FUZZ_TARGETS } from '../testing/fuzz/fuzz-targets.ts'
import type { FuzzMessage, FuzzWorkerData } from '../testing/fuzz/fuzz-worker.ts'

const HELP = `npm run fuzz -- <target> [--minutes <n>] [--seed <n>]

Runs a target on mutated inputs, guided by the code they reach. An input that breaks it is shortened and kept in
testing/fuzz/corpus/<target>/; the unit tests run it from then on. Ctrl-C stops and prints the summary.

Targets:
${FUZZ_TARGETS.map(({ name, about }) => `  ${name.padEnd(8)} ${about}`).join('\n')}

Options:
  --minutes <n>  How long to run (default: 10)
  --seed <n>     Seed of the random numbers (default: the current time); the same seed gives the same inputs
  --help         Show this help

Exit codes: 0 nothing found, 2 wrong usage, 3 found inputs that break the target.`

/** An input that takes longer hangs the program. */
const HANG_MS = 20_000
const MAX_INPUT_BYTES = 131_072

interface Arguments {
  readonly target: string
  readonly minutes: number
  readonly seed: number
}

function fail(message: string): never {
  console.error(`${message}\nUse npm run fuzz -- --help for the targets and options.`)
  process.exit(2)
}

function readArguments(): Arguments {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help === true) {
      console.log(HELP)
      process.exit(0)
    }
    const [target = '', ...others] = positionals
    if (target === '' || others.length > 0) fail('Give one target.')
    if (!FUZZ_TARGETS.some(({ name }) => name === target))
      fail(`There is no target ${JSON.stringify(target)}.`)
    const minutes = Number(values.minutes ?? 10)
    if (!(minutes > 0))
      fail(`--minutes must be a number greater than 0, not ${JSON.stringify(values.minutes)}.`)
    const seed = Number(values.seed ?? Date.now() % 1_000_000)
    if (!Number.isInteger(seed)) fail(`--seed must be a whole number, not ${JSON.stringify(values.seed)}.`)
    return { target, minutes, seed }
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

/** Returns the exit code. */
async function fuzz({ target, minutes, seed }: Arguments): Promise<number> {
  const corpus = keptInputs(target).map(({ input }) => Uint8Array.from(input))
  const current = new Int32Array(new SharedArrayBuffer(4 * MAX_INPUT_BYTES))
  const begun = new Int32Array(new SharedArrayBuffer(4))
  const workerData: FuzzWorkerData = { target, seed, corpus, current, begun }
  console.log(`Fuzzing ${target} for ${minutes} minutes with seed ${seed}; ${corpus.length} kept inputs.`)
  const worker = new Worker(new URL('../testing/fuzz/fuzz-worker.ts', import.meta.url), { workerData })

  let progress = { runs: 0, inputs: 0, blocks: 0 }
  let findings = 0
  const report = (input: Uint8Array, problem: string): void => {
    findings++
    console.log(`\n${problem.slice(0, 2_000)}\nInput kept: ${keepInput(target, input)}`)
  }
  worker.on('message', (message: FuzzMessage) => {
    if (message.kind === 'finding') report(message.input, message.problem)
    else progress = message
  })

  const startedAt = Date.now()
  await new Promise<void>((stop) => {
    worker.on('error', (error) => {
      findings++
      console.error(error)
      stop()
    })
    process.once('SIGINT', stop)
    setTimeout(stop, minutes * 60_000)
    let lastBegun = -1
    let since = Date.now()
    setInterval(() => {
      const now = Atomics.load(begun, 0)
      if (now !== lastBegun) {
        lastBegun = now
        since = Date.now()
      } else if (Date.now() - since > HANG_MS) {
        report(
          Uint8Array.from(current.subarray(1, 1 + (current[0] ?? 0))),
          `hang: no end after ${HANG_MS} ms`,
        )
        stop()
      }
    }, 500)
    setInterval(() => console.log(summary()), 30_000)
  })
  await worker.terminate()
  console.log(`Done: ${summary()}`)
  return findings > 0 ? 3 : 0

  function summary(): string {
    const seconds = Math.max(1, Math.round((Date.now() - startedAt) / 1_000))
    const { runs, inputs, blocks } = progress
    const perSecond = Math.round(runs / seconds)
    return `${seconds} s, ${runs} inputs run (${perSecond} per second), ${inputs} in the corpus, ${blocks} blocks reached, ${findings} found that break ${target}`
  }
}

process.exit(await fuzz(readArguments()))
