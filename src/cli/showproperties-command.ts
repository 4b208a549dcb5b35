import { Command } from 'commander'
import { nearestName } from '../adapters/config/nearest-name.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatJson, printableLine } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { EffectiveSetting } from '../wiring/effective-settings.ts'
import { type CommandContext, EXIT } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { PLACEHOLDER, withoutSecret } from './secret-flags.ts'
import { textTable } from './text-table.ts'
import { addConfigOption } from './web-flags.ts'

interface ShowPropertiesFlags {
  readonly dir?: string
  readonly config?: string
  readonly changed: boolean
  readonly json: boolean
}

const HELP = `
Shows every setting with its value and its source: a default, the configuration file, an environment variable, or a flag that the crawl
directory remembers from its last run. Passwords, tokens and credentials are shown as …

Examples:
  orbweaver showproperties
  orbweaver showproperties politeness http.proxy
  orbweaver showproperties --dir crawl --changed`

export function showPropertiesCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('showproperties')
    .description('Show the effective settings and where each comes from')
    .argument('[keys...]', 'Sections or keys to show (default: all)')
    .option('--dir <dir>', 'Crawl directory whose remembered flags count')
    .option('--changed', 'Only settings that are not defaults', false)
  return addJsonOption(addConfigOption(command))
    .addHelpText(
      'after',
      helpNotes({ 1: 'no setting is selected', 2: 'invalid key, configuration or option' }, HELP),
    )
    .action(async (keys: string[], { dir, config, changed, json }: ShowPropertiesFlags) => {
      const { effectiveSettings } = await import('../wiring/effective-settings.ts')
      const all = await effectiveSettings({
        ...{ currentDirectory: process.cwd(), env: process.env },
        ...withoutUndefined({ named: config, crawlDirectory: dir }),
      })
      const chosen = selected(all, keys)
        .filter(({ source }) => !changed || source !== 'default')
        .map(withoutSecrets)
      terminal.out(json ? formatJson(chosen) : report(chosen))
      if (chosen.length === 0) exitWith(EXIT.nothing)
    })
}

/** @throws ConfigurationError for a key that does not exist */
function selected(
  settings: readonly EffectiveSetting[],
  keys: readonly string[],
): readonly EffectiveSetting[] {
  const isIn = (key: string, name: string) => key === name || key.startsWith(`${name}.`)
  const unknown = keys.find((name) => !settings.some(({ key }) => isIn(key, name)))
  if (unknown !== undefined) {
    const sections = new Set(settings.map(({ key }) => key.split('.', 1)[0] ?? ''))
    const near = nearestName(unknown, [...sections, ...settings.map(({ key }) => key)])
    const hint = near === undefined ? 'run the command without keys to see all' : `did you mean ${near}?`
    throw new ConfigurationError('OPTION_INVALID', `there is no setting ${JSON.stringify(unknown)}; ${hint}`)
  }
  return keys.length === 0 ? settings : settings.filter(({ key }) => keys.some((name) => isIn(key, name)))
}

function withoutSecrets({ key, value, source }: EffectiveSetting): EffectiveSetting {
  return value === undefined ? { key, source } : { key, value: publicValue(key, value), source }
}

/** Settings whose values may be secrets as a whole. */
const SECRET_KEY = /password$|^http\.credentials$|^notify\./

function publicValue(key: string, value: unknown): unknown {
  if (typeof value === 'function') return `function ${value.name}`.trim()
  if (typeof value === 'string') {
    const isSecret = SECRET_KEY.test(key) || withoutSecret('', value) !== value
    return isSecret && value !== '' ? PLACEHOLDER : value
  }
  if (Array.isArray(value)) return value.map((item) => publicValue(key, item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      key === 'http.headers' && withoutSecret('--header', `${name}: ${inner}`) !== `${name}: ${inner}`
        ? PLACEHOLDER
        : publicValue(key, inner),
    ]),
  )
}

/** Longer values are not aligned. */
const MAX_VALUE_COLUMNS = 50

function report(settings: readonly EffectiveSetting[]): string {
  if (settings.length === 0) return 'all settings are defaults\n'
  const text = (value: unknown) =>
    value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value)
  const rows = settings.map(({ key, value, source }) => [
    key,
    printableLine(text(value)),
    printableLine(source),
  ])
  return textTable(rows, MAX_VALUE_COLUMNS)
}
