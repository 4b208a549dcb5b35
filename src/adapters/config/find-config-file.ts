import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'

/** The names of configuration files that are searched for. */
export const CONFIG_FILE_NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((end) => `orbweaver.config.${end}`)

export interface ConfigSearch {
  /** The file that `--config` names; then nothing else is searched. */
  readonly named?: string
  /** The crawl directory; it need not exist. Absent for a command without one. */
  readonly crawlDirectory?: string
  readonly currentDirectory: string
  /** Whether a file that is code may be loaded from the current directory. `false` for commands that only read a crawl. @default true */
  readonly loadsCode?: boolean
}

export interface FoundConfig {
  /** Absolute; absent when there is none, which is not an error. */
  readonly file?: string
  /** A file that would have been loaded if it were not code. */
  readonly notLoaded?: string
}

/**
 * Finds the configuration file: in the crawl directory, else in the folder above it, else in the current directory. A crawl directory may come from
 * another person, so code (.ts, .js) is loaded from the current directory only, and by name.
 * @throws ConfigurationError when the named file is not there, when a folder has two, and when a command that needs the rules of a file may not load it
 */
export function findConfigFile({
  named,
  crawlDirectory,
  currentDirectory,
  loadsCode = true,
}: ConfigSearch): FoundConfig {
  if (named !== undefined) {
    const file = resolve(currentDirectory, named)
    if (!existsSync(file))
      throw new ConfigurationError('CONFIG_FILE_INVALID', `${file}: there is no such configuration file`)
    return { file }
  }
  const crawl = crawlDirectory === undefined ? undefined : resolve(currentDirectory, crawlDirectory)
  const here = resolve(currentDirectory)
  let notLoaded: string | undefined
  for (const folder of crawl === undefined ? [here] : [crawl, dirname(crawl), here]) {
    const file = configFileIn(folder)
    if (file === undefined) continue
    if (file.endsWith('.json') || (loadsCode && folder === here))
      return { file, ...withoutUndefined({ notLoaded }) }
    if (loadsCode)
      throw new ConfigurationError(
        'CONFIG_FILE_INVALID',
        `${file} is code, and code is loaded only from the current directory. If you trust it, add --config ${file}; else remove it`,
      )
    notLoaded ??= file
  }
  return notLoaded === undefined ? {} : { notLoaded }
}

function configFileIn(folder: string): string | undefined {
  const [first, second] = CONFIG_FILE_NAMES.map((name) => join(folder, name)).filter((file) =>
    existsSync(file),
  )
  if (second !== undefined)
    throw new ConfigurationError(
      'CONFIG_FILE_INVALID',
      `${first} and ${second} are both there; remove one, or name one with --config`,
    )
  return first
}
