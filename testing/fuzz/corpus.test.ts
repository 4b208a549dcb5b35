import { describe, expect, it } from 'vitest'
import { keptInputs } from './corpus.ts'
import { bytesOf } from './fuzz-target.ts'
import { FUZZ_TARGETS } from './fuzz-targets.ts'

describe.each(FUZZ_TARGETS.map((target) => [target.name, target] as const))('%s', (name, target) => {
  it('accepts its seeds', () => {
    for (const seed of target.seeds) expect(() => target.check(bytesOf(seed)), seed).not.toThrow()
  })

  it('accepts the inputs that fuzzing has found', () => {
    for (const { file, input } of keptInputs(name)) expect(() => target.check(input), file).not.toThrow()
  })
})
