import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackages } from '../install-packages.ts'
import { chance, words } from '../synthetic-web/chance.ts'
import type { ContentPage, TrapSite } from './trap-site.ts'

const GITWEB = '/usr/share/gitweb/gitweb.cgi'
const REPOSITORY = 'project.git'
/** Commits per file: some files are changed often. */
const COMMITS_PER_FILE = 3

/** Installs gitweb when it is missing. `false` when it cannot be installed. */
export function requireGitweb(): boolean {
  // Git's package has the script, too, without the module that it needs.
  const isInstalled = () => existsSync(GITWEB) && spawnSync('perl', ['-MCGI', '-e', '1']).status === 0
  return isInstalled() || (installPackages('gitweb', 'libcgi-pm-perl') && isInstalled())
}

/**
 * gitweb over a repository with this many commits. Each commit has a tree, each tree each file, each file a history, a
 * blame and a diff with every other revision: the views have no end that a crawl could reach.
 */
export async function startGitweb(commits: number): Promise<TrapSite> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-gitweb-'))
  const repository = join(folder, 'repositories', REPOSITORY)
  const files = writeRepository(repository, commits)
  const config = join(folder, 'gitweb.conf')
  writeFileSync(config, CONFIG.replace('ROOT', join(folder, 'repositories')))
  const server = createServer((request, response) => void runCgi(config, request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    name: 'gitweb',
    seed: `${origin}/`,
    contentPages: contentPages(repository, files),
    async close() {
      server.closeAllConnections()
      await once(server.close(), 'close')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Content pages: the message of each commit, and the last version of each file. */
function contentPages(repository: string, files: readonly string[]): Map<string, ContentPage> {
  const pages = new Map<string, ContentPage>()
  const log = git(repository, 'log', '-z', '--format=%H %B')
  for (const commit of log.split('\0').filter((text) => text !== ''))
    pages.set(commit.slice(0, 40), { text: commit.slice(41) })
  for (const file of files) pages.set(file, { text: git(repository, 'show', `HEAD:${file}`) })
  return pages
}

/** Returns the paths of the files of the last commit. */
function writeRepository(repository: string, commits: number): string[] {
  mkdirSync(repository, { recursive: true })
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', repository])
  const count = Math.ceil(commits / COMMITS_PER_FILE)
  const path = (file: number) => `${words(1, file % 8, 1)}/${words(1, file, 2)}-${file}.txt`
  const versions = new Map<number, number>()
  let stream = ''
  for (let i = 0; i < commits; i++) {
    const file = i < count ? i : chance(i, 3) % count
    const version = (versions.get(file) ?? 0) + 1
    versions.set(file, version)
    const message = `${words(6, i, 4)}\n\n${words(40, i, 5)}`
    // A version changes some lines of the one before.
    const lines = Array.from({ length: 40 }, (_, n) => words(8, file, n, n % 10 === 0 ? version : 0))
    stream += `commit refs/heads/main\ncommitter A <a@example.org> ${1_700_000_000 + i * 7_200} +0000\n`
    stream += `${data(message)}M 100644 inline ${path(file)}\n${data(`${lines.join('\n')}\n`)}`
    if (i % 40 === 39) stream += `reset refs/tags/v${i}\nfrom refs/heads/main\n\n`
  }
  execFileSync('git', ['-C', repository, 'fast-import', '--quiet'], { input: stream })
  writeFileSync(join(repository, 'description'), 'A project\n')
  return [...versions.keys()].map(path)
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}

function git(repository: string, ...args: string[]): string {
  return execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' })
}

const CONFIG = `
our $projectroot = 'ROOT';
our $site_name = 'Repositories';
our $home_link_str = 'projects';
$feature{'blame'}{'default'} = [1];
$feature{'snapshot'}{'default'} = [];
$feature{'pickaxe'}{'default'} = [1];
`

/** Runs gitweb for one request (RFC 3875). */
async function runCgi(config: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
  if (path !== '/') {
    response.writeHead(404).end()
    return
  }
  const { host = '' } = request.headers
  const [name, port] = host.split(':')
  const cgi = spawn('perl', [GITWEB], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...{ PATH: process.env['PATH'], GITWEB_CONFIG: config, GATEWAY_INTERFACE: 'CGI/1.1' },
      ...{ REQUEST_METHOD: 'GET', SERVER_PROTOCOL: 'HTTP/1.1', QUERY_STRING: query, SCRIPT_NAME: '/' },
      ...{ SERVER_NAME: name, SERVER_PORT: port, HTTP_HOST: host, REQUEST_URI: request.url },
    },
  })
  const chunks: Buffer[] = []
  for await (const chunk of cgi.stdout) chunks.push(chunk as Buffer)
  const output = Buffer.concat(chunks)
  const end = output.indexOf('\r\n\r\n')
  const headers = output.subarray(0, Math.max(0, end)).toString('latin1').split('\r\n')
  let status = 200
  for (const line of headers) {
    const colon = line.indexOf(':')
    const [key, value] = [line.slice(0, colon), line.slice(colon + 1).trim()]
    if (key.toLowerCase() === 'status') status = Number.parseInt(value, 10)
    else if (colon > 0) response.setHeader(key, value)
  }
  // As older versions: without the meta element that tells crawlers to follow no link.
  const body = output
    .subarray(end + 4)
    .toString('latin1')
    .replace(/<meta name="robots"[^>]*>/, '')
  response.writeHead(end === -1 ? 500 : status).end(body, 'latin1')
}
