import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigurationError } from '../base/crawl-error.ts'

/** What a configuration file may be called, where none is named. */
export const CONFIG_FILE_NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((end) => `orbweaver.config.${end}`)

export interface ConfigSearch {
  /** What `--config` names; then nothing else is looked for. */
  readonly named?: string
  /** The crawl directory; it need not exist. Absent for a command without one. */
  readonly crawlDirectory?: string
  readonly currentDirectory: string
}

/**
 * The absolute path of the configuration file: in the crawl directory, else beside it, else in the current directory. `undefined` when
 * there is none, which is no mistake.
 * @throws ConfigurationError when the named file is not there, and when a folder has two
 */
export function findConfigFile({
  named,
  crawlDirectory,
  currentDirectory,
}: ConfigSearch): string | undefined {
  if (named !== undefined) {
    const file = resolve(currentDirectory, named)
    if (!existsSync(file)) throw new ConfigurationError(`${file}: there is no such configuration file`)
    return file
  }
  const crawl = crawlDirectory === undefined ? undefined : resolve(currentDirectory, crawlDirectory)
  for (const folder of crawl === undefined ? [currentDirectory] : [crawl, dirname(crawl), currentDirectory]) {
    const [first, second] = CONFIG_FILE_NAMES.map((name) => join(folder, name)).filter((file) =>
      existsSync(file),
    )
    if (second !== undefined)
      throw new ConfigurationError(
        `${first} and ${second} are both there; remove one, or name one with --config`,
      )
    if (first !== undefined) return first
  }
  return undefined
}
