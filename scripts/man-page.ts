import type { DescribedCommand, DescribedOption } from '../src/cli/described-command.ts'
import { wrapText } from '../src/cli/help-notes.ts'

interface Release {
  readonly version: string
  /** `2026-11-17`. */
  readonly date: string
}

/** An option that this many commands have is described once. */
const COMMON_COMMANDS = 5

/** `orbweaver(1)` in the macros of man(7). */
export function manPage(commands: readonly DescribedCommand[], { version, date }: Release): string {
  const common = commonOptions(commands)
  const lines = [
    `.\\" Made from the definitions of the commands: npx vitest run --project unit -u scripts/man-page.test.ts`,
    `.TH ORBWEAVER 1 ${date} "Orbweaver ${version}" "User Commands"`,
    '.SH NAME',
    'orbweaver \\- a polite web crawler',
    '.SH SYNOPSIS',
    '.B orbweaver',
    '.I command',
    '.RI [ options ]',
    '.br',
    '.B orbweaver help',
    '.I command',
    '.SH DESCRIPTION',
    ...DESCRIPTION.flatMap((paragraph, i) => [...(i === 0 ? [] : ['.PP']), filled(paragraph)]),
    '.SH COMMANDS',
    ...commandLists(commands),
    '.SH COMMON OPTIONS',
    filled('Many commands have these options. The section of a command lists those that it has.'),
    ...groupedOptions([...common.values()], '.SS'),
    '.SH COMMANDS IN DETAIL',
    ...commands.flatMap((command) => [...commandSection(command, common)]),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, text]) => ['.TP', `.B ${code}`, filled(text)]),
    '.SH ENVIRONMENT',
    filled('Flags have precedence over these variables, and the variables over configuration files.'),
    ...ENVIRONMENT.flatMap(([name, text]) => ['.TP', `.B ${name}`, filled(text)]),
    '.SH FILES',
    ...FILES.flatMap(([name, text]) => ['.TP', `.I ${escaped(name)}`, filled(text)]),
    '.SH EXAMPLES',
    ...block(EXAMPLES).slice(1),
    '.SH SEE ALSO',
    'The folder',
    '.I docs',
    'of the package has the whole documentation.',
    '.BR https://github.com/orbweaver\\-crawler/orbweaver',
  ]
  return `${lines.join('\n')}\n`
}

const DESCRIPTION = [
  'Orbweaver crawls web sites. Without code, as Apache Nutch does, it takes seeds and makes a crawl directory with every URL, the pages, their links and a search index. With code, as Scrapy does, it runs a spider and saves its items; several workers can share a crawl in Redis.',
  'Every host has one queue. Its delay, its robots.txt (RFC 9309) and back-off after errors always apply. A crawl that was stopped or killed resumes with the same command.',
]

const EXIT_CODES = [
  ['0', 'Success.'],
  ['1', 'There was nothing to do.'],
  ['2', 'Usage or configuration error; nothing was started.'],
  ['3', 'Failure after the start.'],
] as const

const ENVIRONMENT = [
  ['ORBWEAVER_EMAIL', 'Address for site owners, sent with every request.'],
  ['ORBWEAVER_CONTACT', 'Page about the crawler, sent in User-Agent.'],
  ['ORBWEAVER_AGENT', 'Name of the crawler in User-Agent and for robots.txt.'],
  ['ORBWEAVER_PROXY', 'Proxy for all requests.'],
  ['ORBWEAVER_REDIS_URL', 'Address of Redis for commands with --redis.'],
  ['ORBWEAVER_REDIS_USER, ORBWEAVER_REDIS_PASSWORD', 'Credentials for Redis.'],
  ['ORBWEAVER_SERVE_TOKEN', 'Token that browsers must send to serve and --serve.'],
  ['ORBWEAVER_LOG_LEVEL, ORBWEAVER_LOG_FORMAT, ORBWEAVER_LOG_FILE', 'Defaults of the log flags.'],
  ['ORBWEAVER_ON_FINISH, ORBWEAVER_NOTIFY', 'Defaults of the notification flags.'],
  ['NODE_DISABLE_COMPILE_CACHE', 'If set, compiled code is not kept in the cache folder of the user.'],
] as const

const FILES = [
  ['orbweaver.config.ts', 'Configuration, in the current directory.'],
  ['<dir>/', 'A crawl directory: the CrawlDb, segments, the search index and the request log.'],
  ['~/.cache/orbweaver', 'Compiled code of earlier runs.'],
] as const

const EXAMPLES = `orbweaver demo
orbweaver crawl my-crawl https://example.org/ --index
orbweaver serve my-crawl
orbweaver run quotes.ts --out quotes.jsonl`

/** By their definition: a flag of the same name may mean something else in another command. */
function commonOptions(commands: readonly DescribedCommand[]): Map<string, DescribedOption> {
  const counts = new Map<string, { readonly option: DescribedOption; count: number }>()
  for (const option of commands.flatMap(({ options }) => options)) {
    const known = counts.get(keyOf(option)) ?? { option, count: 0 }
    known.count++
    counts.set(keyOf(option), known)
  }
  const common = [...counts].filter(([, { count }]) => count >= COMMON_COMMANDS)
  return new Map(common.map(([key, { option }]) => [key, option]))
}

function keyOf(option: DescribedOption): string {
  return JSON.stringify(option)
}

function* commandLists(commands: readonly DescribedCommand[]): Generator<string> {
  for (const [group, members] of Map.groupBy(commands, (command) => command.group)) {
    yield `.SS ${escaped(group)}`
    for (const { name, summary } of members) yield* ['.TP', `.B ${escaped(name)}`, filled(summary)]
  }
}

function* commandSection(
  command: DescribedCommand,
  common: ReadonlyMap<string, DescribedOption>,
): Generator<string> {
  const own = command.options.filter((option) => !common.has(keyOf(option)))
  const shared = command.options.filter((option) => common.has(keyOf(option)))
  yield `.SS orbweaver ${escaped(command.name)}`
  yield `.B orbweaver ${escaped(command.name)}`
  yield escaped(['[options]', ...command.arguments.map(argumentText)].join(' '))
  yield* ['.PP', filled(sentence(command.description))]
  yield* groupedOptions(own, '.PP')
  if (shared.length > 0)
    yield* ['.PP', filled(`Common options: ${shared.map(({ long }) => long).join(', ')}.`)]
  yield* notes(command.notes)
}

function argumentText({ name, isRequired, isVariadic }: DescribedCommand['arguments'][number]): string {
  const text = isVariadic ? `${name}...` : name
  return isRequired ? `<${text}>` : `[${text}]`
}

function* groupedOptions(options: readonly DescribedOption[], heading: '.SS' | '.PP'): Generator<string> {
  for (const [group, members] of Map.groupBy(options, (option) => option.group || 'Options')) {
    if (heading === '.SS') yield `.SS ${escaped(group)}`
    else if (group !== 'Options') yield* ['.PP', filled(`${group}:`)]
    for (const { long, short, placeholder, description } of members) {
      yield '.TP'
      yield `.B ${escaped([short, long].filter(Boolean).join(', '))}${placeholder === undefined ? '' : ` ${escaped(placeholder)}`}`
      yield filled(sentence(description))
    }
  }
}

/** Paragraphs are filled; indented lines, such as examples and exit codes, stay as they are. */
function* notes(text: string): Generator<string> {
  for (const paragraph of text.split(/\n\n+/)) {
    const lines = paragraph.split('\n')
    const first = lines.findIndex((line) => line.startsWith(' '))
    const prose = first === -1 ? lines : lines.slice(0, first)
    if (prose.length > 0) yield* ['.PP', filled(prose.join(' '))]
    if (first !== -1) yield* block(lines.slice(first).join('\n'))
  }
}

function block(text: string): string[] {
  return ['.PP', '.RS 4', '.EX', ...text.split('\n').map(escaped), '.EE', '.RE']
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}

/** Shorter than 80 characters with the escape sequences of hyphens. */
const TEXT_COLUMNS = 66

function filled(text: string): string {
  return wrapText(text, TEXT_COLUMNS).map(escaped).join('\n')
}

/** A line of text: no request, no escape sequence, and ASCII hyphens. */
function escaped(line: string): string {
  return line
    .trimEnd()
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replace(/^([.'])/, '\\&$1')
}
