/** Code that is run on arbitrary bytes, with what must hold for each of them. */
export interface FuzzTarget {
  readonly name: string
  /** What is tested and what must hold, for `npm run fuzz -- --help`. */
  readonly about: string
  /** Ordinary inputs to start from. */
  readonly seeds: readonly string[]
  /** Pieces of the format that mutations insert. */
  readonly tokens: readonly string[]
  /** @throws when the code throws or what it returns is wrong */
  check(input: Buffer): void
}

/** @throws when two results that must be equal are not */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what}: ${a?.slice(0, 300)} instead of ${b?.slice(0, 300)}`)
}

/** An input in two pieces, and in many: byte by byte if it is short. Streaming readers must give the same for each. */
export function* cutVariants(input: Buffer): Generator<Buffer[]> {
  const middle = Math.floor(input.length / 2)
  yield [input.subarray(0, middle), input.subarray(middle)]
  const size = Math.ceil(input.length / 256)
  yield Array.from({ length: 256 }, (_, i) => input.subarray(i * size, (i + 1) * size))
}

/** Tokens, several in one string with `¦` between them. */
export function pieces(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split('¦'))
}

/** A seed or token as bytes: one for each character, or UTF-8 where that cannot be. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(text, /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf8')
}
