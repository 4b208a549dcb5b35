import { createHash } from 'node:crypto'

/** One atomic move. */
export interface Script {
  readonly name: string
  readonly source: string
  readonly sha: string
}

export function script(name: string, ...parts: readonly string[]): Script {
  const source = `${parts.join('\n').trim()}\n`
  return { name, source, sha: createHash('sha1').update(source).digest('hex') }
}
