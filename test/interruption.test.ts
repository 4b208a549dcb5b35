import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Run, runOrbweaver } from './run-orbweaver.ts'
import { StartedOrbweaver } from './started-orbweaver.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-interruption-'))
const SPIDERS = join(import.meta.dirname, '../dist/spider.js')
const QUICK = ['--delay', '0', '--email', 'test@example.org', '--parse-threads', '0']

let server: Server
let origin: string
/** Responses to this path are held back until `release`. */
let heldPath: string | undefined
let held: ServerResponse[]
let onHeld: () => void
let dir: string
let run: StartedOrbweaver | undefined
let tests = 0

beforeEach(async () => {
  dir = join(folder, `crawl-${++tests}`)
  heldPath = undefined
  held = []
  server = createServer(({ url = '' }, response) => {
    if (url !== heldPath) respond(url, response)
    else {
      held.push(response)
      onHeld()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(async () => {
  run?.kill('SIGKILL')
  await run?.ended
  run = undefined
  server.close()
  server.closeAllConnections()
})

afterAll(() => rmSync(folder, { recursive: true }))

/** The request of an update of Solr. */
const UPDATE = '/solr/pages/update?wt=json'

const PAGES = ['/', '/1', '/2', '/3', '/4']

function respond(url: string, response: ServerResponse): void {
  if (url === UPDATE) response.end('{"responseHeader":{"status":0,"QTime":1}}')
  else if (!PAGES.includes(url)) response.writeHead(404).end()
  else {
    const links = PAGES.map((page) => `<a href="${page}">${page}</a>`)
    response.setHeader('content-type', 'text/html').end(`<title>Page ${url}</title>${links.join(' ')}`)
  }
}

/** Starts the command, and interrupts it when it requests this path. @param signal that of Ctrl-C, or the one of service managers */
async function interruptAt(
  path: string,
  args: readonly string[],
  signal: 'SIGINT' | 'SIGTERM' = 'SIGINT',
): Promise<Run> {
  heldPath = path
  const requested = new Promise<void>((resolve) => {
    onHeld = resolve
  })
  run = new StartedOrbweaver(args)
  await requested
  run.kill(signal)
  const ended = await run.ended
  heldPath = undefined
  return ended
}

/** Starts the command, and interrupts it after this text on standard error. It cannot end before: requests of `path` get no response. */
async function interruptAfter(text: string, args: readonly string[], path?: string): Promise<Run> {
  heldPath = path
  onHeld = () => {}
  run = new StartedOrbweaver(args)
  await run.says(text)
  run.kill('SIGINT')
  const ended = await run.ended
  heldPath = undefined
  return ended
}

/** The command to resume, from the summary. */
function resumeArgs({ exitCode, stdout, stderr }: Run): string[] {
  const resume = /^Resume with: orbweaver (.+)$/m.exec(stdout)?.[1]
  expect({ exitCode, stderr, resume }).toMatchObject({ exitCode: 3, resume: expect.any(String) })
  expect(stdout).toMatch(/[;:] interrupted[\n:]/)
  return (resume ?? '').split(' ')
}

/** All pages are fetched once. */
async function expectAllPages(): Promise<void> {
  const { stdout } = await runOrbweaver(['readdb', dir, '--stats', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ statuses: { db_fetched: PAGES.length } })
}

describe('Ctrl-C during a crawl', () => {
  it.each([
    ['while robots.txt is fetched', '/robots.txt'],
    ['while the first page is fetched', '/'],
    ['while a later page is fetched', '/3'],
  ])('%s: the crawl resumes without loss', async (_, path) => {
    const first = await interruptAt(path, ['crawl', dir, `${origin}/`, ...QUICK])
    expect((await runOrbweaver(resumeArgs(first))).exitCode).toBe(0)
    await expectAllPages()
  })

  it('while pages are indexed: the same command indexes them', async () => {
    const index = ['--index-to', `solr:${origin}/solr/pages`]
    const first = await interruptAt(UPDATE, ['crawl', dir, `${origin}/`, ...QUICK, ...index])
    expect(first).toMatchObject({
      exitCode: 3,
      stdout: expect.stringContaining('no page indexed; interrupted'),
    })
    const resume = await runOrbweaver([...resumeArgs(first), '--json'])
    expect(JSON.parse(resume.stdout)).toMatchObject({ index: [{ ended: 'done', put: PAGES.length }] })
    await expectAllPages()
  })

  it('at its start: the crawl resumes without loss', async () => {
    const first = await interruptAfter('1 new URL', ['crawl', dir, `${origin}/`, ...QUICK], '/')
    expect((await runOrbweaver(resumeArgs(first))).exitCode).toBe(0)
    await expectAllPages()
  })
})

/** A spider that fetches all pages. @param more parts of it */
function spider(more: string): string {
  const file = join(folder, `spider-${tests}.mjs`)
  writeFileSync(
    file,
    `import { writeSync } from 'node:fs'
     const { spider } = await import(${JSON.stringify(SPIDERS)})
     const say = (text) => writeSync(2, text + '\\n')
     const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
     export default spider({
       name: 'interrupted', start: '${origin}/',
       *parse(page) { yield page.item({ url: page.url }); yield* page.followAll('a') },
       ${more}
     })`,
  )
  return file
}

/** The URLs of the items of a feed of JSON lines. */
function itemsOf(feed: string): string[] {
  const lines = readFileSync(feed, 'utf8').trimEnd().split('\n')
  return lines.map((line) => new URL(JSON.parse(line).url).pathname).sort()
}

describe('Ctrl-C during a spider', () => {
  it('while a page is fetched: the feed has each item once after the resume', async () => {
    const feed = join(folder, 'fetch.jsonl')
    const args = ['run', spider(''), '--dir', dir, '--out', feed, ...QUICK.slice(0, 4)]
    const first = await interruptAt('/3', args)
    expect((await runOrbweaver(resumeArgs(first))).exitCode).toBe(0)
    expect(itemsOf(feed)).toEqual(PAGES)
  })

  it('while an item is exported: the feed has each item once after the resume', async () => {
    const feed = join(folder, 'export.jsonl')
    const file = spider(`async onItem() { say('exporting'); await wait(200) },`)
    const first = await interruptAfter(
      'exporting',
      ['run', file, '--dir', dir, '--out', feed, ...QUICK.slice(0, 4)],
      '/3',
    )
    expect((await runOrbweaver(resumeArgs(first))).exitCode).toBe(0)
    expect(itemsOf(feed)).toEqual(PAGES)
  })

  it('in onClose, when the work is done: the run ends as without it', async () => {
    const feed = join(folder, 'close.jsonl')
    const file = spider(`async onClose() { say('closing'); await wait(200); say('closed') },`)
    const ended = await interruptAfter('closing', [
      'run',
      file,
      '--dir',
      dir,
      '--out',
      feed,
      ...QUICK.slice(0, 4),
    ])
    expect(ended).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('closed') })
    expect(ended.stdout).toMatch(/: finished: queue empty\n/)
    expect(itemsOf(feed)).toEqual(PAGES)
  })
})

describe('SIGTERM is as Ctrl-C', () => {
  it('for a crawl', async () => {
    const first = await interruptAt('/3', ['crawl', dir, `${origin}/`, ...QUICK], 'SIGTERM')
    expect((await runOrbweaver(resumeArgs(first))).exitCode).toBe(0)
    await expectAllPages()
  })

  it('for a fetch', async () => {
    await runOrbweaver(['crawl', dir, `${origin}/`, '--rounds', '1', ...QUICK])
    await runOrbweaver(['generate', dir])
    const first = await interruptAt('/3', ['fetch', dir, ...QUICK], 'SIGTERM')
    expect((await runOrbweaver(resumeArgs(first))).exitCode).toBe(0)
    await runOrbweaver(['updatedb', dir])
    await expectAllPages()
  })

  it('for a spider', async () => {
    const feed = join(folder, 'terminated.jsonl')
    const args = ['run', spider(''), '--dir', dir, '--out', feed, ...QUICK.slice(0, 4)]
    const first = await interruptAt('/3', args, 'SIGTERM')
    expect((await runOrbweaver(resumeArgs(first))).exitCode).toBe(0)
    expect(itemsOf(feed)).toEqual(PAGES)
  })

  it('for a server', async () => {
    await runOrbweaver(['inject', dir, `${origin}/`])
    run = new StartedOrbweaver(['serve', dir, '--port', '0'])
    await run.says('Press Ctrl-C to stop.')
    run.kill('SIGTERM')
    expect(await run.ended).toMatchObject({ exitCode: 0 })
  })
})

describe('Ctrl-C during inject', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops on %s while it waits for seeds, and changes nothing',
    async (signal) => {
      run = new StartedOrbweaver(['inject', dir, '-'], {}, { input: true })
      await run.write(Array.from({ length: 50_000 }, (_, i) => `https://a.test/${i}\n`).join(''))
      run.kill(signal)
      expect(await run.ended).toEqual({
        exitCode: 3,
        stdout: '',
        stderr: 'error: interrupted; nothing was changed: run the command again\n',
      })
      expect(readdirSync(dir)).not.toContain('lock')
      const { stdout } = await runOrbweaver(['inject', dir, 'https://a.test/0'])
      expect(stdout).toBe(`1 new URL in ${dir}\n`)
    },
  )
})

describe('Ctrl-C during a command that only reads', () => {
  it('kills it, also while the database runs a query', async () => {
    await runOrbweaver(['inject', dir, 'https://a.test/'])
    const config = join(folder, 'says.config.mjs')
    writeFileSync(config, `import { writeSync } from 'node:fs'\nwriteSync(2, 'loaded')\nexport default {}\n`)
    const sql = 'SELECT count(*) FROM range(1000000000000) a, range(100) b'
    const ended = await interruptAfter('loaded', ['readdb', dir, '--sql', sql, '--config', config])
    expect(ended).toEqual({ exitCode: null, stdout: '', stderr: 'loaded' })
  })
})
