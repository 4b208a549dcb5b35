import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'

/** The names of configuration files. */
const CONFIG_FILE_NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((end) => `orbweaver.config.${end}`)

export interface ConfigSearch {
  /** The file that `--config` names; no other is searched for. */
  readonly named?: string
  /** The crawl directory; it need not exist. Absent for a command without one. */
  readonly crawlDirectory?: string
  readonly currentDirectory: string
  /** Whether a file that is code may be loaded from the current directory. `false` for commands that only read a crawl. @default true */
  readonly loadsCode?: boolean
}

export interface FoundConfig {
  /** Absolute path. Absent: there is no configuration file. */
  readonly file?: string
  /** A configuration file that was not loaded because it is code. */
  readonly notLoaded?: string
}

/**
 * Finds the configuration file: in the crawl directory, else in its parent folder, else in the current directory. A crawl directory may come
 * from another person, so code (.ts, .js) is loaded only from the current directory or when `--config` names it.
 * @throws ConfigurationError when the named file does not exist, when a folder has two, and when a command that needs the file may not load it
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
      throw new ConfigurationError('CONFIG_FILE_INVALID', `${file}: configuration file not found`)
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
        `${file} is code, and code is loaded only from the current directory. If you trust it, add --config ${file}; otherwise remove it`,
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
      `${first} and ${second} both exist; remove one, or choose one with --config`,
    )
  return first
}
