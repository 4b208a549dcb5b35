import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'

/** Where seed lines come from. */
export interface SeedSource {
  /** For messages: a file, `stdin`, or `argument`. */
  readonly name: string
  readonly text: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/**
 * Opens what an operator named: files, directories (every file in them; what is deeper is skipped and handed to `onSkipped`), `-` for standard
 * input, or URLs themselves.
 * @throws ConfigurationError when something does not exist or there is no file at all
 */
export async function* seedSources(
  names: readonly string[],
  standardInput: AsyncIterable<Uint8Array>,
  onSkipped: (directory: string) => void,
): AsyncGenerator<SeedSource> {
  for (const name of names) {
    if (name === '-') yield { name: 'stdin', text: standardInput }
    else if (/^https?:/i.test(name)) yield { name: 'argument', text: [new TextEncoder().encode(name)] }
    else yield* filesOf(name, onSkipped)
  }
}

async function* filesOf(path: string, onSkipped: (directory: string) => void): AsyncGenerator<SeedSource> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) {
    throw new ConfigurationError(
      'SEEDS_MISSING',
      `there is no ${path}: give a file, a directory, a URL with http:// or https://, or -`,
    )
  }
  if (!found.isDirectory()) {
    yield { name: path, text: createReadStream(path, { highWaterMark: READ_BYTES }) }
    return
  }
  const entries = (await readdir(path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
  const files = entries.filter((entry) => !entry.isDirectory())
  for (const entry of entries) if (entry.isDirectory()) onSkipped(join(path, entry.name))
  if (files.length === 0) throw new ConfigurationError('SEEDS_MISSING', `there is no file in ${path}`)
  for (const { name } of files) {
    const file = join(path, name)
    yield { name: file, text: createReadStream(file, { highWaterMark: READ_BYTES }) }
  }
}

const READ_BYTES = 1 << 20
