import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const CORPUS = join(import.meta.dirname, 'corpus')

/** Inputs that once showed a defect of a target. `corpus.test.ts` runs them all. */
export function keptInputs(target: string): Array<{ readonly file: string; readonly input: Buffer }> {
  const directory = join(CORPUS, target)
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .sort()
    .map((file) => ({ file, input: readFileSync(join(directory, file)) }))
}

/** Returns the path of the file. */
export function keepInput(target: string, input: Uint8Array): string {
  const directory = join(CORPUS, target)
  mkdirSync(directory, { recursive: true })
  const path = join(directory, createHash('sha1').update(input).digest('hex').slice(0, 12))
  writeFileSync(path, input)
  return path
}
