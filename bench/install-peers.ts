import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { installPythonEnvironment, pythonOf } from '../testing/python-environment.ts'
import { TOOL_CACHE } from '../testing/tool-cache.ts'
import { versionOf } from './version-of.ts'

/** The command of a program of peers/, to which the arguments are added, or why it cannot run here. */
export type InstalledPeer =
  | { readonly ok: true; readonly version: string; readonly command: readonly string[] }
  | { readonly ok: false; readonly reason: string }

/** Whether a peer can run without an installation, which takes minutes. */
export const IS_INSTALLED = {
  crawlee: () => existsSync(CRAWLEE),
  scrapy: () => existsSync(pythonOf(SCRAPY)),
  colly: () => existsSync(COLLY),
  'spider-rs': () => existsSync(SPIDER_RS),
} satisfies Record<string, () => boolean>

const CRAWLEE = join(import.meta.dirname, 'node_modules/@crawlee/cheerio/package.json')
const COLLY = join(TOOL_CACHE, 'colly-peer')
const SPIDER_RS_TARGET = join(TOOL_CACHE, 'spider-rs')
const SPIDER_RS = join(SPIDER_RS_TARGET, 'release', 'spider-peer')
const PEERS = join(import.meta.dirname, 'peers')
/** A first build of the Rust program takes minutes, and more than half an hour on a busy machine. */
const BUILD_MS = 7_200_000

/** `npm --prefix bench install` has brought it. */
export function installCrawlee(): InstalledPeer {
  if (!IS_INSTALLED.crawlee())
    return { ok: false, reason: 'npm --prefix bench install did not install @crawlee/cheerio' }
  return {
    ok: true,
    version: versionOf(CRAWLEE),
    command: [process.execPath, join(PEERS, 'crawlee.js')],
  }
}

const SCRAPY = { name: 'scrapy-2', requirement: 'scrapy>=2.13,<3', oldestPython: 9 }

/** From PyPI, into a virtual environment of its own. */
export async function installScrapy(): Promise<InstalledPeer> {
  const failure = await installPythonEnvironment(SCRAPY)
  if (failure !== undefined) return { ok: false, reason: failure }
  const python = pythonOf(SCRAPY)
  const version = printed(python, ['-c', 'import scrapy; print(scrapy.__version__)'])
  if (version === undefined)
    return { ok: false, reason: `${python} has no Scrapy that works: remove its virtual environment` }
  return { ok: true, version, command: [python, join(PEERS, 'scrapy_spider.py')] }
}

/** Built by Go, which does nothing when the program is up to date. */
export function buildColly(): InstalledPeer {
  const folder = join(PEERS, 'colly')
  const failure = build('go', ['build', '-o', COLLY, '.'], folder)
  if (failure !== undefined) return { ok: false, reason: failure }
  const version = printed('go', ['list', '-m', '-f', '{{.Version}}', 'github.com/gocolly/colly/v2'], folder)
  return { ok: true, version: version?.replace(/^v/, '') ?? '', command: [COLLY] }
}

/** Built by cargo, which does nothing when the program is up to date. */
export function buildSpiderRs(): InstalledPeer {
  const folder = join(PEERS, 'spider-rs')
  const failure = build('cargo', ['build', '--release', '--locked', '--target-dir', SPIDER_RS_TARGET], folder)
  if (failure !== undefined) return { ok: false, reason: failure }
  const version = printed('cargo', ['pkgid', 'spider'], folder)?.split('@').at(-1)
  return { ok: true, version: version ?? '', command: [SPIDER_RS] }
}

/** Builds of this process, which need not be repeated for each site: why they failed. */
const builds = new Map<string, string | undefined>()

/** Returns why it failed. */
function build(program: string, args: readonly string[], cwd: string): string | undefined {
  if (!builds.has(cwd)) builds.set(cwd, buildNow(program, args, cwd))
  return builds.get(cwd)
}

function buildNow(program: string, args: readonly string[], cwd: string): string | undefined {
  console.log(`building ${cwd}: ${program} ${args.join(' ')}`)
  const { error, status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', timeout: BUILD_MS })
  if (error !== undefined) return `${program} cannot be run: ${error.message}`
  if (status === 0) return undefined
  const errors = stderr.split('\n').filter((line) => /^error/.test(line))
  return `${program} build failed: ${errors[0] ?? stderr.trim().split('\n').at(-1)}`
}

/** `undefined`: it failed. */
function printed(program: string, args: readonly string[], cwd?: string): string | undefined {
  const { status, stdout } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
