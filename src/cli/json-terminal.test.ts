import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type CommandRun, command } from '../../testing/command-line.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { COMMANDS } from './commands.ts'
import { JsonTerminal } from './json-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-json-'))
const missing = join(folder, 'missing')

afterAll(() => rmSync(folder, { recursive: true }))

/** Exactly one document, and nothing else: `JSON.parse` rejects anything around it. */
function errorOf({ stdout, stderr }: CommandRun): { readonly code: string; readonly message: string } {
  const { error } = JSON.parse(stdout)
  expect(Object.keys(error)).toEqual(['code', 'message'])
  expect(stderr).toContain(`error: ${error.message}`)
  return error
}

describe.each(COMMANDS)('$name --json', ({ name }) => {
  it('prints one document for an unknown option, wherever --json is', async () => {
    for (const args of [
      [name, '--json', '--no-such-option'],
      [name, '--no-such-option', '--json'],
    ]) {
      const run = await command(args)
      expect(run.exitCode).toBe(2)
      expect(errorOf(run)).toMatchObject({ code: 'OPTION_INVALID' })
    }
  })
})

it.each<readonly [string, readonly string[], string]>([
  [
    'an invalid value before --json',
    ['check', '--delay', 'soon', 'http://a.test/', '--json'],
    'OPTION_INVALID',
  ],
  ['a missing argument', ['readdb', '--json'], 'OPTION_INVALID'],
  ['an unknown command', ['crwl', '--json'], 'OPTION_INVALID'],
  ['an invalid URL', ['check', 'ftp://a.test/', '--json'], 'URL_INVALID'],
  ['an invalid setting', ['crawl', missing, 'http://a.test/', '--agent', 'a b', '--json'], 'SETTING_INVALID'],
  ['a missing rule file', ['crawl', missing, 'http://a.test/', '--rules', '/no', '--json'], 'RULE_INVALID'],
  ['a missing spider', ['run', join(folder, 'no.ts'), '--json'], 'SPIDER_FILE_INVALID'],
  ['search in a missing crawl', ['search', missing, 'word', '--json'], 'CRAWL_DIRECTORY_MISSING'],
  ['an empty directory name', ['crawl', '', '--json'], 'OPTION_INVALID'],
  [
    'a missing seed file',
    ['inject', join(folder, 'new'), join(folder, 'no-seeds.txt'), '--json'],
    'SEEDS_MISSING',
  ],
  ...[
    ['crawl', missing],
    ['generate', missing],
    ['fetch', missing],
    ['parse', missing],
    ['updatedb', missing],
    ['invertlinks', missing],
    ['dedup', missing],
    ['mergesegs', missing],
    ['index', missing],
    ['clean', missing],
    ['explain', missing, 'http://a.test/'],
    ['readdb', missing, '--stats'],
    ['readseg', missing],
    ['readlinkdb', missing, '--url', 'http://a.test/'],
    ['export', missing, '--out', join(folder, 'pages.jsonl')],
    ['failed', missing],
    ['serve', missing, '--port', '0'],
  ].map((args) => [`no crawl for ${args[0]}`, [...args, '--json'], 'CRAWL_DIRECTORY_MISSING'] as const),
  ...[
    ['push', 'crawl', 'http://a.test/'],
    ['status', 'crawl'],
    ['pause', 'crawl'],
    ['resume', 'crawl'],
    ['drain', 'crawl'],
    ['forget', 'crawl', 'http://a.test/'],
    ['clear', 'crawl', '--yes'],
  ].map(
    (args) =>
      [
        `a bad Redis address for ${args[0]}`,
        [...args, '--redis=ftp://x', '--json'],
        'REDIS_ADDRESS_INVALID',
      ] as const,
  ),
])('prints one document for %s', async (_, args, code) => {
  const run = await command(args)
  expect(errorOf(run)).toMatchObject({ code })
  expect(run.exitCode).toBeGreaterThan(0)
})

it('prints one document for an unexpected exception', async () => {
  const spider = join(folder, 'throws.ts')
  writeFileSync(spider, 'export default function () { return { name: null, get start() { throw 1 } } }')
  expect(errorOf(await command(['run', spider, '--json']))).toHaveProperty('code')
})

describe('JsonTerminal', () => {
  it('drops a document whose command failed after it', () => {
    const terminal = new RecordingTerminal()
    const json = new JsonTerminal(terminal)
    json.out('{"pages":1}\n')
    json.end({ code: 'A', message: 'b' })
    expect(JSON.parse(terminal.stdout)).toEqual({ error: { code: 'A', message: 'b' } })
  })

  it('prints no second document after a released one', () => {
    const terminal = new RecordingTerminal()
    const json = new JsonTerminal(terminal)
    json.out('{"url":"http://a.test/"}\n')
    json.release()
    json.end({ code: 'A', message: 'b' })
    expect(terminal.stdout).toBe('{"url":"http://a.test/"}\n')
  })
})
