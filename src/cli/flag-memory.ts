import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import type { StoredFlag, StoredSettings } from '../adapters/crawl-directory/settings-file.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { type GivenFlag, givenFlags } from './given-flags.ts'
import { addOptionGroup } from './help-notes.ts'
import { publicSettings } from './public-settings.ts'
import { repeatableFlags } from './resume-command.ts'
import { withoutSecret } from './secret-flags.ts'
import { quotedWords } from './shell-quote.ts'
import type { Terminal } from './terminal.ts'

/** Which flags of a command its crawl directory remembers. */
export interface FlagPolicy {
  readonly command: StoredSettings['command']
  /** Flags that shape the crawl: they apply to all later runs. */
  readonly shaping: ReadonlySet<string>
  /** Limits of one run: they apply to its continuation if it is interrupted, and to no other run. */
  readonly limits: ReadonlySet<string>
}

/** Flags of all commands that fetch and that shape the crawl. */
export const SHAPING_FLAGS: readonly string[] = [
  ...['--config', '--rules', '--agent', '--contact', '--email', '--header', '--proxy', '--timeout'],
  ...['--max-bytes', '--no-http2', '--cookies', '--allow-host', '--insecure-host', '--delay'],
  ...['--allow-files', '--allow-ftp'],
  ...['--threads', '--threads-per-host', '--min-delay', '--redirect-max', '--parse-threads', '--render'],
  '--ai-use-files',
]

export function addForgetOption(command: Command): Command {
  return addOptionGroup(command, 'General', (group) =>
    group.option(
      '--forget-settings',
      'Do not use the flags of the last run, which the crawl directory remembers',
      false,
    ),
  )
}

/** What a run counted, for the limits of its continuation. */
export interface RunCounts {
  readonly pages: number
  readonly items: number
}

/** The flags of one run: given now, or remembered by the crawl directory of an earlier run. */
export class FlagMemory {
  readonly #policy: FlagPolicy
  readonly #command: Command
  readonly #given: readonly GivenFlag[]
  readonly #notStored: ReadonlySet<string>
  /** Remembered flags that were not given now. */
  #flags: readonly StoredFlag[] = []
  #limits: readonly StoredFlag[] = []
  /** Of the interrupted run that this one continues. */
  #counted: RunCounts = { pages: 0, items: 0 }
  #isKept = false

  /** @param args of the command, as Commander parses them */
  constructor(command: Command, args: readonly string[], policy: FlagPolicy) {
    this.#policy = policy
    this.#command = command
    this.#given = givenFlags(command, args)
    this.#notStored = namesNotStored(this.#given)
  }

  /**
   * Sets the options that the directory remembers and that were not given now, and prints which. To be called before the action.
   * @param spider name of the spider file; the flags of another one are not used
   * @throws ConfigurationError if the file of the directory is damaged or of a newer version
   */
  async recall(dir: string, terminal: Pick<Terminal, 'err'>, spider?: string): Promise<void> {
    this.#isKept = true
    if (this.#command.opts()['forgetSettings'] === true) return
    const { readStoredSettings, settingsFile } = await storedSettings()
    const stored = await readStoredSettings(dir)
    if (stored === undefined || stored.command !== this.#policy.command || stored.spider !== spider) return
    const isGiven = new Set(this.#given.map(({ option }) => option.attributeName()))
    const { shaping, limits } = this.#policy
    this.#flags = this.#usable(stored.flags, shaping, isGiven)
    this.#limits = this.#usable(stored.limits, limits, isGiven)
    if (this.#limits.length > 0 && stored.counted !== undefined) this.#counted = stored.counted
    for (const [name, value] of [...this.#flags, ...this.#limits])
      this.#set(name, this.#remaining(name, value), settingsFile(dir))
    const texts = [this.#usedText(), missingText(stored.notStored.filter((name) => !this.#isGiven(name)))]
    for (const text of texts) if (text !== undefined) terminal.err(`${text}\n`)
  }

  /** Stores the flags of this run. The caller holds the lock of the directory. @param settings the settings of the flags */
  async store(dir: string, settings: OrbweaverConfig, spider?: string): Promise<void> {
    const { writeStoredSettings } = await storedSettings()
    await writeStoredSettings(dir, this.#stored(settings, spider))
  }

  /** Stores what is left of the limits. The caller still holds the lock. */
  async end(
    dir: string,
    settings: OrbweaverConfig,
    { isInterrupted, pages, items }: RunCounts & { readonly isInterrupted: boolean },
    spider?: string,
  ): Promise<void> {
    const stored = this.#stored(settings, spider)
    const counted = { pages: this.#counted.pages + pages, items: this.#counted.items + items }
    const { counted: _, ...rest } = stored
    const limits = isInterrupted ? stored.limits : []
    const { writeStoredSettings } = await storedSettings()
    await writeStoredSettings(dir, { ...rest, limits, ...(limits.length > 0 && { counted }) })
  }

  /** The flags that a command needs to resume this run: those that the directory does not remember. */
  flagsToRepeat(isInterrupted: boolean): StoredFlag[] {
    const { shaping, limits } = this.#policy
    const isKept = ({ name }: GivenFlag) =>
      this.#isKept && !this.#notStored.has(name) && (shaping.has(name) || (isInterrupted && limits.has(name)))
    return [
      ...repeatableFlags(this.#given.filter((flag) => !isKept(flag))),
      // Without them, the next run would not stop where this one did.
      ...(isInterrupted ? [] : this.#limits),
    ]
  }

  #stored(settings: OrbweaverConfig, spider: string | undefined): StoredSettings {
    const { command, shaping, limits } = this.#policy
    const given = this.#given.filter(({ name }) => !this.#notStored.has(name))
    const storedOf = (names: ReadonlySet<string>) =>
      given.filter(({ name }) => names.has(name)).map(({ name, value }) => storedFlag(name, value))
    return {
      command,
      ...withoutUndefined({ spider }),
      flags: [...this.#flags, ...storedOf(shaping)],
      settings: publicSettings(settings),
      limits: [...this.#limits, ...storedOf(limits)],
      ...(this.#limits.length > 0 && { counted: this.#counted }),
      notStored: [...this.#notStored].filter((name) => shaping.has(name)),
    }
  }

  #usable(
    flags: readonly StoredFlag[],
    names: ReadonlySet<string>,
    isGiven: ReadonlySet<string>,
  ): StoredFlag[] {
    return flags.filter(([name]) => {
      const option = this.#command.options.find(({ long }) => long === name)
      return names.has(name) && option !== undefined && !isGiven.has(option.attributeName())
    })
  }

  /** Sets an option as Commander does. @param file where the flag is stored */
  #set(name: string, value: string | undefined, file: string): void {
    const option = this.#command.options.find(({ long }) => long === name)
    if (option === undefined) return
    const key = option.attributeName()
    const isRepeated = this.#command.getOptionValueSource(key) === REMEMBERED
    const earlier: unknown = isRepeated ? this.#command.getOptionValue(key) : undefined
    try {
      const parsed = value === undefined ? !option.negate : (option.parseArg?.(value, earlier) ?? value)
      this.#command.setOptionValueWithSource(key, parsed, REMEMBERED)
    } catch (cause) {
      throw new ConfigurationError(
        'STATE_FILE_INVALID',
        `${file}: ${name} ${value}: ${(cause as Error).message} Use --forget-settings, and give the flags again`,
        { cause },
      )
    }
  }

  #isGiven(name: string): boolean {
    return this.#given.some((flag) => flag.name === name)
  }

  /** The value of a limit without what the interrupted run has counted. */
  #remaining(name: string, value: string | undefined): string | undefined {
    const counted =
      name === '--max-pages' ? this.#counted.pages : name === '--max-items' ? this.#counted.items : 0
    return counted === 0 ? value : String(Math.max(1, Number(value) - counted))
  }

  #usedText(): string | undefined {
    const flags = [...this.#flags, ...this.#limits]
    if (flags.length === 0) return undefined
    const words = flags.map(([name, value]) => {
      const left = this.#remaining(name, value)
      const flag = quotedWords([name, ...listOf(value)])
      return left === value ? flag : `${flag} (${left} left)`
    })
    return `using ${words.join(' ')} from the last run; --forget-settings drops them`
  }
}

/**
 * Flags among `given` with a value that must not be stored. If one value of a repeatable flag may be a secret, none is stored: the flag
 * must be given again, which replaces all its values.
 */
function namesNotStored(given: readonly GivenFlag[]): ReadonlySet<string> {
  return new Set(given.filter(({ name, value = '' }) => !mayBeStored(name, value)).map(({ name }) => name))
}

function mayBeStored(name: string, value: string): boolean {
  // A configuration file that is code is loaded only if the user names it: a crawl directory may come from another person.
  if (name === '--config') return value.endsWith('.json')
  return withoutSecret(name, value) === value
}

/** Flags whose values are paths; relative ones are relative to the folder where the command was started. */
const PATH_FLAGS: ReadonlySet<string> = new Set(['--config', '--rules', '--out', '--cache'])

function storedFlag(name: string, value: string | undefined): StoredFlag {
  const isPath = value !== undefined && PATH_FLAGS.has(name) && !value.startsWith('-')
  return flagOf(name, isPath ? resolve(value) : value)
}

function missingText(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  return `note: the last run also had ${names.join(', ')}, which is not stored because its value may be a secret; give it again if the crawl needs it`
}

function flagOf(name: string, value: string | undefined): StoredFlag {
  return value === undefined ? [name] : [name, value]
}

const REMEMBERED = 'remembered'

function listOf(value: string | undefined): string[] {
  return value === undefined ? [] : [value]
}

/** Loaded late: `--help` does not read the file. */
const storedSettings = () => import('../adapters/crawl-directory/settings-file.ts')
