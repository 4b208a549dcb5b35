import { existsSync, readFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson } from '../../testing/command-line.ts'
import { QUOTE_PAGES, QUOTES_ON_PAGE, QuoteSite } from '../../testing/quote-site.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import type { SpiderResult } from '../wiring/run-spider-options.ts'
import { run } from './main.ts'

const QUOTES = QUOTE_PAGES * QUOTES_ON_PAGE

let site: QuoteSite
/** Of the test: its spider, crawl directory and export. */
let spider: string
let dir: string
let out: string
let tests = 0

beforeAll(async () => {
  site = await QuoteSite.start()
})

beforeEach(() => {
  const name = `test-${++tests}`
  spider = site.quotes(name)
  dir = site.path(`${name}-crawl`)
  out = site.path(`${name}.jsonl`)
  site.onRequested = () => {}
  site.web.judge.reset()
})

afterAll(() => site.close())

function runJson(...args: string[]): Promise<SpiderResult> {
  return commandJson(['run', ...args])
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n')
}

function textsOf(lines: readonly string[]): string[] {
  return lines.map((line) => (JSON.parse(line) as { text: string }).text).sort()
}

describe('output of items', () => {
  it('writes them to files in every format at once', async () => {
    const files = ['jsonl', 'json', 'csv', 'parquet'].map((format) => site.path(`all.${format}`))
    const { exitCode, stdout } = await command(['run', spider, ...files.flatMap((file) => ['--out', file])])
    expect(exitCode).toBe(0)
    for (const file of files) expect(stdout).toContain(`items written to ${file}\n`)
    const [jsonl = '', json = '', csv = '', parquet = ''] = files
    expect(new Set(textsOf(linesOf(jsonl))).size).toBe(QUOTES)
    expect(JSON.parse(readFileSync(json, 'utf8'))).toHaveLength(QUOTES)
    expect(linesOf(csv)).toHaveLength(QUOTES + 1)
    expect(linesOf(csv)[0]?.trim()).toBe('text,author')
    expect(await countRows(parquet)).toBe(QUOTES)
  })

  it('writes them, and nothing else, to standard output', async () => {
    const { exitCode, stdout, stderr } = await command(['run', spider, '--out', '-'])
    expect(exitCode).toBe(0)
    expect(textsOf(stdout.trimEnd().split('\n'))).toHaveLength(QUOTES)
    expect(stderr).toContain(`${QUOTE_PAGES} pages and ${QUOTES} items in `)
  })

  it('prints one document with --json', async () => {
    const { exitCode, stdout } = await command(['run', spider, '--json', '--out', out])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      ended: 'finished',
      stats: { pages: QUOTE_PAGES, items: QUOTES, failed: {} },
      feeds: [{ target: out, error: null }],
    })
  })

  it.each([
    ['--out', ['--out', '-:csv'], ''],
    ['the spider', [], "out: '-'"],
  ])('rejects --json together with items that %s writes to standard output', async (_, flags, more) => {
    const file = site.quotes(`mixed-${flags.length}`, more)
    const { exitCode, stdout, stderr } = await command(['run', file, '--json', ...flags])
    expect({ exitCode, code: JSON.parse(stdout).error.code }).toEqual({ exitCode: 2, code: 'OPTION_INVALID' })
    expect(stderr).toMatch(/^error: --json and items cannot both use standard output/)
    expect(site.requested).toEqual([])
  })

  it('reports an unusable target before the first request', async () => {
    const { exitCode, stderr } = await command(['run', spider, '--out', 'items.xlsx'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('items.xlsx: the format cannot be told from the name')
    expect(site.requested).toEqual([])
  })

  it('reports rejected items only if there are some', async () => {
    const clean = await command(['run', spider, '--dir', dir])
    expect(clean.stdout).not.toContain('rejected')
    const picky = site.quotes(
      'picky',
      "pipelines: [{ process: (item) => item }], item: z.object({ text: z.string().endsWith('1'), author: z.string() }),",
    )
    const { exitCode, stdout } = await command(['run', picky, '--dir', `${dir}-2`])
    expect(exitCode).toBe(0)
    const file = `${dir}-2/items.rejected.jsonl`
    expect(stdout).toContain(`${QUOTES - QUOTE_PAGES} rejected by the schema; see ${file}\n`)
    expect(linesOf(file)).toHaveLength(QUOTES - QUOTE_PAGES)
  })
})

describe('limits', () => {
  it('fetches exactly --max-pages pages', async () => {
    const result = await runJson(spider, '--max-pages', '3')
    expect(result).toMatchObject({ ended: 'pages', stats: { pages: 3, requests: 3 } })
    expect(site.requested).toEqual(['/', '/page/2', '/page/3'])
  })

  it('stops after --max-items items', async () => {
    const result = await runJson(spider, '--max-items', '4')
    expect(result.ended).toBe('items')
    expect(result.stats.items).toBeLessThan(QUOTES)
  })

  it('follows links no deeper than --depth', async () => {
    await runJson(spider, '--depth', '1')
    expect(site.requested).toEqual(['/', '/page/2'])
  })

  it('exits with 1 for a finished crawl', async () => {
    await command(['run', spider, '--dir', dir, '--out', out])
    const { exitCode, stdout } = await command(['run', spider, '--dir', dir, '--out', out])
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: `the crawl in ${dir} is finished; for a new crawl use another --dir\n`,
    })
    expect(site.requested).toHaveLength(QUOTE_PAGES)
    expect(linesOf(out)).toHaveLength(QUOTES)
  })

  it('warns if Redis is configured but not used', async () => {
    process.env['ORBWEAVER_REDIS_URL'] = 'redis://127.0.0.1:1'
    try {
      const { exitCode, stderr } = await command(['run', spider, '--depth', '0'])
      expect(exitCode).toBe(0)
      expect(stderr).toMatch(/^warning: a Redis is configured .* To share the crawl, add --redis\n/)
      expect((await command(['run', spider, '--dir', dir, '--depth', '0'])).stderr).not.toContain('Redis')
    } finally {
      delete process.env['ORBWEAVER_REDIS_URL']
    }
  })

  it('reads the argument after --redis or --cache as the file if it cannot be their value', async () => {
    const file = site.path('none.ts')
    expect((await command(['run', '--redis', file])).stderr).toContain(file)
    expect((await command(['run', '--cache', '--redis', file])).stderr).toContain(file)
    expect((await command(['run', '--cache', file])).stderr).not.toContain('missing required argument')
  })

  it('exits with 1 if there is no start request', async () => {
    const { exitCode, stdout } = await command(['run', site.quotes('idle', 'start: [],')])
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: 'nothing to do: the spider has no start requests\n',
    })
  })

  it('stops when interrupted, and resumes without losing or repeating items', async () => {
    const terminal = new RecordingTerminal()
    site.onRequested = (page) => {
      if (page === 3) terminal.interrupt()
    }
    expect(await run(['run', spider, '--dir', dir, '--out', out], terminal)).toBe(3)
    expect(terminal.stdout).toMatch(/: interrupted\n/)
    expect(terminal.stdout).toMatch(/1 request left\nResume with: orbweaver run \S+ --dir \S+\n$/)
    expect(site.requested.length).toBeLessThan(QUOTE_PAGES)
    expect(await command(['run', spider, '--dir', dir, '--out', out])).toMatchObject({ exitCode: 0 })
    expect(site.requested).toHaveLength(QUOTE_PAGES)
    const texts = textsOf(linesOf(out))
    expect(texts).toHaveLength(QUOTES)
    expect(new Set(texts).size).toBe(QUOTES)
  })

  it('does not fetch cached responses again', async () => {
    const cache = ['--cache', site.path('cache')]
    const first = await runJson(spider, ...cache)
    const requests = site.web.judge.hits.length
    const second = await runJson(spider, ...cache)
    expect(site.web.judge.hits).toHaveLength(requests)
    expect(second.stats).toMatchObject({ requests: 0, pages: QUOTE_PAGES, items: first.stats.items })
  })

  it('reports a host that cannot be reached', async () => {
    const unreachable = site.quotes(
      'unreachable',
      "start: ['http://127.0.0.1:18999/a', 'http://127.0.0.1:18999/b'], retry: { retries: { robots: 0, network: 0 } },",
    )
    const { exitCode, stdout } = await command(['run', unreachable, '--dir', dir])
    expect(exitCode).toBe(3)
    expect(stdout).toMatch(/^0 pages and 0 items in .*: finished: queue empty\n/)
    expect(stdout).toContain(`failed: 2 network-connect-refused; see orbweaver failed ${dir}\n`)
  })
})

describe('arguments', () => {
  const WITH_ARGUMENTS = `export default ({ path, ...rest }) => ({
    name: 'arguments',
    start: ['SITE' + path],
    settings: { agent: { email: 'test@localhost' } },
    parse: (page) => page.item({ url: page.url, ...rest }),
  })`

  it('passes --arg to a spider that is a function', async () => {
    const file = site.write('arguments.ts', WITH_ARGUMENTS)
    const args = ['--arg', 'path=/page/2', '--arg', 'note=a=b']
    const { stdout } = await command(['run', file, '--out', '-', ...args])
    expect(JSON.parse(stdout)).toEqual({ url: `${site.origin}/page/2`, note: 'a=b' })
  })

  it('reports a spider that has no arguments', async () => {
    const { exitCode, stderr } = await command(['run', spider, '--arg', 'a=1'])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/takes no arguments: for --arg, let it export a function/)
  })

  it('explains the syntax of --arg', async () => {
    const { exitCode, stderr } = await command(['run', spider, '--arg', 'a'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('Give an argument as name=value.')
  })
})

describe('a file that is not a spider', () => {
  it.each([
    ['missing', undefined, /there is no such file/],
    ['without a default export', 'export const a = 1', /no default export; write export default spider/],
    ['of something else', 'export default 3', /export default spider\(\{ … \}\); found 3/],
    ['without a name', 'export default {}', /a spider needs a name of letters/],
    ['with a typing error', "export default { name: 'a', strat: [] }", /strat: .*did you mean start\?/],
    ['without a handler', "export default { name: 'a', start: [] }", /give parse, handlers or rules/],
    ['that throws', "throw new Error('early')", /that-throws\.ts:1: early/],
  ])('%s is rejected with a one-line error', async (name, text, message) => {
    const file = `bad-${name.replaceAll(' ', '-')}.ts`
    const path = text === undefined ? site.path(file) : site.write(file, text)
    const { exitCode, stdout, stderr } = await command(['run', path])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/^error: /)
    expect(stderr).toMatch(message)
  })

  it('accepts a plain object instead of spider()', async () => {
    const file = site.write(
      'plain.ts',
      `export default { name: 'plain', start: 'SITE/', settings: { agent: { email: 'a@b.c' } }, parse: (page) => page.item({ title: page.text('title') }) }`,
    )
    expect((await command(['run', file, '--out', '-'])).stdout).toBe('{"title":"Quotes 1"}\n')
  })
})

describe('a spider that throws', () => {
  const BOOM = `*parse(page) {
    yield* page.followAll('a.next')
    if (page.url.endsWith('/page/2')) throw new Error('boom \\x1b[31m red')
  },`

  it('is reported with its stack and without control characters, and the crawl continues', async () => {
    const { exitCode, stdout, stderr } = await command(['run', site.quotes('boom', BOOM), '--dir', dir])
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/^parse, for http:.*\/page\/2: Error: boom {2}\[31m red\n {4}at parse /m)
    expect(stderr).not.toContain('\x1b')
    expect(stdout).toMatch(/^2 pages /)
    expect(stdout).toContain(`failed: 1 handler-threw; see orbweaver failed ${dir}\n`)
  })

  it('stops the run after maxHandlerErrorsInRow failures', async () => {
    const file = site.quotes(
      'always',
      "parse() { throw new Error('no') }, limits: { maxHandlerErrorsInRow: 1 },",
    )
    const { exitCode, stderr } = await command(['run', file, '--dir', dir])
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/error: a handler failed/)
  })
})

async function countRows(parquet: string): Promise<number> {
  expect(existsSync(parquet)).toBe(true)
  const connection = await (await DuckDBInstance.create()).connect()
  try {
    const rows = await connection.runAndReadAll(`SELECT count(*)::INTEGER FROM '${parquet}'`)
    return Number(rows.getRows()[0]?.[0])
  } finally {
    connection.closeSync()
  }
}
