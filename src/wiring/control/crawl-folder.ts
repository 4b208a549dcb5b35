import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { crawlName } from '../../adapters/serve/control/control-schemas.ts'
import { ControlRefused } from '../../adapters/serve/control/crawl-manager.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { isCrawl } from '../serve-crawl.ts'

/** The crawl directories of the control API: one, or all in a folder. A name is the name of a directory, never a path. */
export class CrawlFolder {
  readonly path: string
  /** Set: there is only this crawl, and none can be created. */
  readonly #only: string | undefined

  private constructor(path: string, only?: string) {
    this.path = path
    this.#only = only
  }

  /** @param path a crawl directory, or a folder of crawl directories. @throws ConfigurationError */
  static open(path: string): CrawlFolder {
    const whole = resolve(path)
    if (lstatSync(whole, { throwIfNoEntry: false }) === undefined)
      throw new ConfigurationError(
        'OPTION_INVALID',
        `there is no folder ${path}: create it, or give the folder that contains your crawl directories`,
      )
    if (!isDirectory(whole) && !isDirectory(`${whole}/.`))
      throw new ConfigurationError('OPTION_INVALID', `${path} is a file; give a folder of crawl directories`)
    if (!isCrawl(whole)) return new CrawlFolder(whole)
    const name = basename(whole)
    if (!crawlName.safeParse(name).success)
      throw new ConfigurationError(
        'OPTION_INVALID',
        `the crawl directory ${name} cannot be controlled: rename it to letters, digits, "-", "_" and "."`,
      )
    return new CrawlFolder(dirname(whole), name)
  }

  /** Names of the crawls, sorted. */
  names(): string[] {
    if (this.#only !== undefined) return [this.#only]
    return readdirSync(this.path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && crawlName.safeParse(entry.name).success)
      .map(({ name }) => name)
      .filter((name) => isCrawl(join(this.path, name)))
      .sort()
  }

  /** Path of a crawl. @throws ControlRefused if there is none of that name */
  directory(name: string): string {
    const path = join(this.path, name)
    const isOne = crawlName.safeParse(name).success && (this.#only === undefined || this.#only === name)
    // A symbolic link could lead out of the folder.
    if (isOne && isDirectory(path) && isCrawl(path)) return path
    throw new ControlRefused(
      'not-found',
      `There is no crawl ${JSON.stringify(name)}; /api/v1/crawls lists them.`,
    )
  }

  /** Path for a new crawl. @throws ControlRefused if the name is taken */
  newDirectory(name: string): string {
    if (this.#only !== undefined)
      throw new ControlRefused(
        'conflict',
        'This server controls a single crawl. To create others, start it with a folder of crawls.',
      )
    const path = join(this.path, name)
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path
    throw new ControlRefused('conflict', `${name} exists already: choose another name.`)
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
