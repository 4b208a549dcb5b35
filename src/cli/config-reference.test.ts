import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, type Option } from 'commander'
import { expect, it } from 'vitest'
import { idleContext } from '../../testing/idle-context.ts'
import { markdownTable } from '../../testing/markdown-table.ts'
import { type ConfigKey, configKeys } from '../adapters/config/config-keys.ts'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { ENVIRONMENT_VARIABLES } from '../adapters/config/settings-source.ts'
import type { MakeCommand } from './command-context.ts'
import { crawlCommand, crawlConfig } from './crawl-command.ts'
import { engineConfig } from './engine-flags.ts'
import { logConfig } from './log-flags.ts'
import { notifyConfig } from './notify-flags.ts'
import { runCommand, runConfig } from './run-command.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/configuration.md')
const KEYS = /(?<=<!-- keys: generated -->\n)[\s\S]*(?=<!-- keys: end -->)/
const VARIABLES = /(?<=<!-- variables: generated -->\n)[\s\S]*(?=<!-- variables: end -->)/

// After a change of a key, a flag or a variable, `npx vitest run --project unit src/cli/config-reference -u` updates the page.
it('matches docs/configuration.md', async () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toMatch(KEYS)
  expect(page).toMatch(VARIABLES)
  await expect(
    page.replace(KEYS, () => `\n${keyReference()}\n`).replace(VARIABLES, () => `\n${variableReference()}\n`),
  ).toMatchFileSnapshot(PAGE)
})

it('finds the flags of keys', () => {
  expect(FLAGS.get('politeness.delaySeconds')).toEqual(['--delay'])
  expect(FLAGS.get('http.http2')).toEqual(['--no-http2'])
  expect(FLAGS.get('log.level')).toEqual(['--log-level', '--verbose'])
  expect(FLAGS.get('engine.spark.master')).toEqual(['--spark-master'])
  const keys = new Set(configKeys().map(({ path }) => path))
  expect([...FLAGS.keys()].filter((key) => !keys.has(key))).toEqual([])
})

it('lists every environment variable that the program reads', () => {
  const listed = new Set([
    ...Object.values(ENVIRONMENT_VARIABLES),
    ...OTHER_VARIABLES.flatMap(({ names }) => names),
  ])
  const read = variablesInSources()
  expect(read).toContain('SPARK_HOME')
  expect(read).toContain('AWS_SECRET_ACCESS_KEY')
  expect(read.filter((name) => !listed.has(name) && !NOT_SETTINGS.includes(name))).toEqual([])
})

/** Variables that the system and npm set. */
const NOT_SETTINGS = ['PATH', 'HOME', 'USERPROFILE', 'npm_lifecycle_script']

/** Variables that are not the value of a key. */
const OTHER_VARIABLES: readonly { readonly names: readonly string[]; readonly purpose: string }[] = [
  {
    names: ['ORBWEAVER_SERVE_TOKEN'],
    purpose: 'Token of `orbweaver serve` and its control API, if there is no `--token`: [Serving](serve.md).',
  },
  {
    names: ['ORBWEAVER_SOLR_USER', 'ORBWEAVER_SOLR_PASSWORD'],
    purpose: 'Credentials for Solr, if its address has none: [Index targets](index-targets.md).',
  },
  {
    names: ['ORBWEAVER_ELASTIC_USER', 'ORBWEAVER_ELASTIC_PASSWORD', 'ORBWEAVER_ELASTIC_API_KEY'],
    purpose: 'Credentials for Elasticsearch, if its address has none.',
  },
  {
    names: ['ORBWEAVER_OPENSEARCH_USER', 'ORBWEAVER_OPENSEARCH_PASSWORD'],
    purpose: 'Credentials for OpenSearch, if its address has none.',
  },
  {
    names: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
    purpose: 'Credentials for object stores: [Object storage](object-storage.md).',
  },
  {
    names: ['AWS_PROFILE', 'AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'],
    purpose: 'Profile and files with credentials for object stores, if `objectStore.profile` is not set.',
  },
  {
    names: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
    purpose: 'Region of object stores, if `objectStore.region` is not set.',
  },
  {
    names: ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'],
    purpose: 'Address of the object store, if `objectStore.endpoint` is not set.',
  },
  {
    names: ['SPARK_HOME', 'PYSPARK_PYTHON'],
    purpose: 'Installation of Spark, and the Python that `spark-submit` uses: [Spark](spark.md).',
  },
  {
    names: ['XDG_CACHE_HOME', 'LOCALAPPDATA'],
    purpose:
      'Folder for compiled code; `LOCALAPPDATA` on Windows. Default: `~/.cache`, on macOS `~/Library/Caches`.',
  },
  {
    names: ['XDG_STATE_HOME'],
    purpose:
      'Folder for incomplete files: exports of `items --take`, and downloads of a spider without `--dir`. Default: `~/.local/state`.',
  },
  {
    names: ['NODE_DISABLE_COMPILE_CACHE', 'NODE_COMPILE_CACHE'],
    purpose:
      '`NODE_DISABLE_COMPILE_CACHE=1` turns the cache of compiled code off; `NODE_COMPILE_CACHE` moves the part of it that Node.js writes.',
  },
  {
    names: ['NODE_V8_COVERAGE'],
    purpose: 'Set by coverage tools: the cache of compiled code is off.',
  },
  {
    names: ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'],
    purpose:
      'Read by Node.js itself: further certificate authorities, and options such as `--import` for an OpenTelemetry SDK.',
  },
]

/** `env['NAME']`, `environment['NAME']`, and `const { NAME } = env` in src/. */
function variablesInSources(): string[] {
  const names = new Set<string>()
  for (const file of globSync('src/**/*.ts', { cwd: ROOT }).filter((name) => !name.endsWith('.test.ts'))) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/\benv(?:ironment)?\['(\w+)'\]/g)) names.add(name)
    for (const [, list = ''] of text.matchAll(/const \{([A-Z_, ]+)\} = env\b/g))
      for (const name of list.split(',')) names.add(name.trim())
  }
  return [...names]
}

/** The flags that set each key, found by giving each flag of `crawl` and `run` alone. */
const FLAGS = flagsByKey()

function flagsByKey(): ReadonlyMap<string, readonly string[]> {
  const flags = new Map<string, Set<string>>([['redis.url', new Set(['--redis'])]])
  const add = (make: MakeCommand, configOf: (opts: never) => OrbweaverConfig) => {
    const { options } = make(idleContext())
    const usual = new Set(entriesOf(configOf(parsed(options, []) as never)))
    for (const option of options) {
      const values = valuesFor(option, options)
      const changed =
        values === undefined ? [] : entriesOf(configOf(values as never)).filter((entry) => !usual.has(entry))
      for (const entry of changed) {
        const [key = ''] = entry.split('=')
        flags.set(key, (flags.get(key) ?? new Set()).add(option.long ?? ''))
      }
    }
  }
  add(crawlCommand, (opts) => ({
    ...crawlConfig(opts),
    ...notifyConfig(opts),
    ...engineConfig(opts),
    ...logConfig(opts),
  }))
  add(runCommand, runConfig)
  return new Map([...flags].map(([key, names]) => [key, [...names]]))
}

/** The values of all flags when this one is given, with a value that it accepts. */
function valuesFor(option: Option, all: readonly Option[]): Readonly<Record<string, unknown>> | undefined {
  const flag = option.long ?? ''
  if (!option.required && !option.optional) return parsed(all, [flag])
  for (const value of option.argChoices ?? ['7', 'https://a.test/', 'Name: value', 'debug', 'name=value']) {
    try {
      return parsed(all, [flag, value])
    } catch {
      // The flag does not accept this value.
    }
  }
  throw new Error(`no example of a value for ${flag}`)
}

function parsed(options: readonly Option[], args: readonly string[]): Record<string, unknown> {
  const command = new Command().exitOverride().configureOutput({ writeErr() {} })
  for (const option of options) command.addOption(option)
  return command.parse(args, { from: 'user' }).opts()
}

/** `key.of.the.setting=value` */
function entriesOf(value: unknown, path = ''): string[] {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isMap || path === 'http.headers') return [`${path}=${JSON.stringify(value)}`]
  return Object.entries(value).flatMap(([name, inner]) =>
    entriesOf(inner, path === '' ? name : `${path}.${name}`),
  )
}

/** Every key as Markdown: a heading and a table per section. */
function keyReference(): string {
  const keys = configKeys()
  const sections = keys.filter(({ path }) => !path.includes('.'))
  return sections.map((section) => sectionText(section, keys)).join('\n')
}

function sectionText(section: ConfigKey, keys: readonly ConfigKey[]): string {
  const inner = keys.filter(({ path }) => path.startsWith(`${section.path}.`))
  const head = `### \`${section.path}\`\n${section.isSection ? `\n${section.description}\n` : ''}`
  const rows = (section.isSection ? inner : [section, ...inner]).filter(hasRow)
  return `${head}\n${markdownTable(['key', 'type', 'default', 'flag, variable', 'description'], rows.map(rowOf))}\n`
}

/** Keys of single hosts and parts of a value are described with the whole. */
function hasRow({ isSection, description, path }: ConfigKey): boolean {
  return !isSection && description !== '' && !path.includes('*')
}

function rowOf({ path, type, default: standard, description }: ConfigKey): string[] {
  const value = standard === undefined ? '' : `\`${JSON.stringify(standard)}\``
  const variable = ENVIRONMENT_VARIABLES[path]
  const setBy = [...(FLAGS.get(path) ?? []), ...(variable === undefined ? [] : [variable])]
  return [
    `\`${path}\``,
    withUnit(type, path),
    value,
    setBy.map((name) => `\`${name}\``).join(', '),
    description,
  ]
}

/** The unit is a part of the name of a key. */
function withUnit(type: string, path: string): string {
  if (!type.startsWith('number')) return type
  const [, suffix = ''] = /([A-Z][a-z]+)(?:PerSecond)?$/.exec(path) ?? []
  if (path.endsWith('BytesPerSecond')) return `${type}, bytes per second`
  const unit = UNITS[suffix]
  return unit === undefined ? type : `${type}, ${unit}`
}

const UNITS: Readonly<Record<string, string>> = {
  Seconds: 'seconds',
  Minutes: 'minutes',
  Days: 'days',
  Bytes: 'bytes',
  Mb: 'megabytes',
  Chars: 'characters',
  Length: 'characters',
  Percent: 'percent',
}

function variableReference(): string {
  const ofKeys = Object.entries(ENVIRONMENT_VARIABLES).map(([key, name]) => [`\`${name}\``, `\`${key}\``])
  const others = OTHER_VARIABLES.map(({ names, purpose }) => [
    names.map((name) => `\`${name}\``).join(', '),
    purpose,
  ])
  return [
    'These variables set keys:',
    markdownTable(['variable', 'key'], ofKeys),
    'Other variables that the program reads:',
    markdownTable(['variable', 'purpose'], others),
    `A configuration may name further variables with secrets: \`http.credentials\`. Commands that
[notifications](logs.md) run get variables, too.`,
  ].join('\n\n')
}
