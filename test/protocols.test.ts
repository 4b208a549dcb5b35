import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFtpServer } from '../testing/ftp-server.ts'
import { page, reply } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'
import { requireFtpServer } from '../testing/require-ftp-server.ts'
import { runOrbweaver } from './run-orbweaver.ts'

const QUICK = ['--delay', '0', '--email', 'test@localhost']

let web: MisbehavingWeb
let folder: string
let files: string

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'orbweaver-protocols-')))
  files = join(folder, 'files')
  mkdirSync(join(files, 'sub folder'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  writeFileSync(join(files, 'a.html'), '<title>A</title><a href="sub%20folder/b.txt">b</a> words of a')
  writeFileSync(join(files, 'sub folder', 'b.txt'), 'words of b')
  cpSync(join(import.meta.dirname, '../testing/documents/sample.odt'), join(files, 'sub folder', 'ü.odt'))
  web = await startMisbehavingWeb()
})

afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

/** Status and URL of all records, without the part that all URLs share. */
async function records(dir: string, start: string): Promise<Record<string, string>> {
  const file = join(folder, 'records.jsonl')
  await runOrbweaver(['readdb', dir, '--dump', file, '--format', 'jsonl'])
  const urls = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; status: string })
  return Object.fromEntries(
    urls.map(({ url, status }) => [decodeURI(url.startsWith(start) ? url.slice(start.length) : url), status]),
  )
}

describe('file: URLs', () => {
  const root = () => `${pathToFileURL(files).href}/`

  it('need a folder that is allowed', async () => {
    const { exitCode, stderr } = await runOrbweaver(['crawl', join(folder, 'refused'), root(), ...QUICK])
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain('--allow-files <folder>')
    const missing = await runOrbweaver(['check', root(), '--allow-files', join(folder, 'missing')])
    expect(missing.stderr).toContain('is not a folder')
  })

  it('are crawled, indexed and fetched again only if the file has changed', async () => {
    symlinkSync(join(folder, 'secret.txt'), join(files, 'escape.txt'))
    symlinkSync('..', join(files, 'sub folder', 'circle'))
    const dir = join(folder, 'files-crawl')
    const crawl = (...more: string[]) =>
      runOrbweaver(['crawl', dir, ...more, '--allow-files', files, '--index', ...QUICK])
    expect(await crawl(pathToFileURL(files).href)).toMatchObject({ exitCode: 0 })
    const start = pathToFileURL(files).href
    expect(await records(dir, start)).toEqual({
      '': 'db_redir_perm',
      '/': 'db_fetched',
      '/a.html': 'db_fetched',
      '/escape.txt': 'db_gone',
      '/sub folder/': 'db_fetched',
      '/sub folder/b.txt': 'db_fetched',
      '/sub folder/circle': 'db_redir_perm',
      '/sub folder/ü.odt': 'db_fetched',
    })
    const { stdout } = await runOrbweaver(['search', dir, 'orchard'])
    expect(stdout).toContain('Harvest report')
    const explained = await runOrbweaver(['explain', dir, `${start}/escape.txt`])
    expect(explained.stdout).toContain('is not in a folder that --allow-files')

    appendFileSync(join(files, 'a.html'), ' changed')
    utimesSync(join(files, 'a.html'), new Date(), new Date())
    // The directory remembers the flags.
    for (const args of [
      ['generate', dir, '--add-days', '40'],
      ['fetch', dir],
      ['updatedb', dir],
    ])
      expect(await runOrbweaver(args)).toMatchObject({ exitCode: 0 })
    const stats = await runOrbweaver(['readdb', dir, '--stats'])
    expect(stats.stdout).toMatch(/db_notmodified\s+4/)
  })

  it('are never reached from a page of the web', async () => {
    const target = pathToFileURL(join(files, 'a.html')).href
    web.serve('127.0.0.1', {
      '/robots.txt': reply({ status: 301, headers: { location: target } }),
      '/': page(`<a href="${target}">file</a><a href="/moved">moved</a><a href="/refresh">refresh</a>`),
      '/moved': reply({ status: 302, headers: { location: target } }),
      '/refresh': page(`<meta http-equiv="refresh" content="0; url=${target}">`),
    })
    const site = web.origin('127.0.0.1')
    const dir = join(folder, 'web-crawl')
    const run = await runOrbweaver([
      'crawl',
      dir,
      `${site}/`,
      '--allow-files',
      files,
      '--scope',
      'any',
      ...QUICK,
    ])
    expect(run).toMatchObject({ exitCode: 0 })
    expect(Object.keys(await records(dir, site)).sort()).toEqual(['/', '/moved', '/refresh'])
  })
})

const missing = requireFtpServer()

// The name of a skipped test gives the reason.
describe.skipIf(missing !== undefined)(`ftp: URLs ${missing ?? ''}`, () => {
  it('are crawled with robots.txt and conditional requests', async () => {
    // The server shows symbolic links as what they lead to, so that a circle has no end.
    rmSync(join(files, 'sub folder', 'circle'))
    writeFileSync(join(files, 'robots.txt'), 'User-agent: *\nDisallow: /private/\n')
    mkdirSync(join(files, 'private'))
    writeFileSync(join(files, 'private', 'x.txt'), 'private')
    const ftp = await startFtpServer(files)
    try {
      const start = `ftp://127.0.0.1:${ftp.port}`
      const dir = join(folder, 'ftp-crawl')
      const refused = await runOrbweaver(['check', `${start}/`, ...QUICK])
      expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--allow-ftp') as string })
      const run = await runOrbweaver(['crawl', dir, `${start}/`, '--allow-ftp', ...QUICK])
      expect(run).toMatchObject({ exitCode: 0 })
      expect(await records(dir, start)).toMatchObject({
        '/': 'db_fetched',
        '/a.html': 'db_fetched',
        '/private/': 'db_gone',
        '/robots.txt': 'db_fetched',
        '/sub folder/': 'db_fetched',
        '/sub folder/b.txt': 'db_fetched',
        '/sub folder/ü.odt': 'db_fetched',
      })
      for (const args of [
        ['generate', dir, '--add-days', '40'],
        ['fetch', dir],
        ['updatedb', dir],
      ])
        expect(await runOrbweaver(args)).toMatchObject({ exitCode: 0 })
      expect((await runOrbweaver(['readdb', dir, '--stats'])).stdout).toMatch(/HTTP 304\s+4/)
    } finally {
      await ftp.close()
    }
  })

  it('respect the limit of a body and the rules for private addresses', async () => {
    const ftp = await startFtpServer(files)
    try {
      const url = `ftp://127.0.0.1:${ftp.port}/sub%20folder/b.txt`
      const cut = await runOrbweaver(['check', url, '--allow-ftp', '--max-bytes', '5', ...QUICK])
      expect(cut.stdout).toContain('truncated')
      const folderUrl = await runOrbweaver(['check', url.replace('/b.txt', ''), '--allow-ftp', ...QUICK])
      expect(folderUrl.stdout).toContain('301')
      const missing = await runOrbweaver(['check', `${url}x`, '--allow-ftp', ...QUICK])
      expect(missing.stdout).toContain('404')
    } finally {
      await ftp.close()
    }
  })
})

it('a protocol of the user is used by crawl and check', async () => {
  const config = join(folder, 'orbweaver.config.ts')
  writeFileSync(
    config,
    `export default {
  protocols: {
    custom: {
      'memo:': {
        async fetch({ url }) {
          if (url.endsWith('/2')) return { status: 200, headers: [['content-type', 'text/plain']], body: Buffer.from('second memo') }
          if (url.endsWith('/1')) return { status: 200, body: Buffer.from('<title>One</title><a href="memo://desk/2">2</a><a href="/3">3</a>') }
          return { status: 404 }
        },
      },
    },
  },
}
`,
  )
  const dir = join(folder, 'memo-crawl')
  const run = await runOrbweaver(['crawl', dir, 'memo://desk/1', '--config', config, ...QUICK])
  expect(run).toMatchObject({ exitCode: 0 })
  expect(await records(dir, 'memo://desk')).toEqual({
    '/1': 'db_fetched',
    '/2': 'db_fetched',
    '/3': 'db_gone',
  })
})
