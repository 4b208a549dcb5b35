import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Browser, BrowserType } from 'playwright-core'
import { printable } from '../../base/printable.ts'
import { browserUnavailable, within } from './browser-error.ts'
import { type BrowserName, findBrowser } from './find-browser.ts'

export interface LaunchOptions {
  readonly browser: BrowserName
  /** @default found on the PATH, or the one that Playwright installed */
  readonly executable?: string
  /** Whether Chromium's sandbox is used. @default unless this process runs as root, which the sandbox does not support */
  readonly sandbox?: boolean
  /** The proxy that refuses everything. */
  readonly proxyUrl: string
  readonly loadsImages: boolean
  /** Told once per browser: what the user should know about it. */
  readonly onNotice?: (message: string) => void
}

/** A running browser. */
export interface LaunchedBrowser {
  readonly browser: Browser
  /** Name and version. */
  readonly name: string
  /** Ends its processes at once. */
  kill(): void
}

/** @throws ConfigurationError (BROWSER_UNAVAILABLE) */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const { browser: name, executable = findBrowser(name, process.env['PATH'] ?? '') } = options
  const type = await browserType(name)
  const isRoot = process.getuid?.() === 0
  const sandbox = options.sandbox ?? !isRoot
  if (!sandbox && isRoot && options.sandbox === undefined)
    options.onNotice?.(
      'Chromium runs without its sandbox, because this process runs as root: run Orbweaver as another user',
    )
  const token = `--orbweaver-browser=${randomUUID()}`
  try {
    const browser = await within(
      LAUNCH_MS,
      'starting the browser',
      type.launch({
        headless: true,
        ...(executable !== undefined && { executablePath: executable }),
        chromiumSandbox: sandbox,
        proxy: { server: options.proxyUrl },
        // The crawl decides how it ends: the requests in flight are finished first.
        ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
        args: name === 'chromium' ? [...CHROMIUM_FLAGS, ...imageFlags(options.loadsImages), token] : [],
        ...(name === 'firefox' && { firefoxUserPrefs: FIREFOX_PREFERENCES }),
      }),
    )
    return { browser, name: `${name} ${browser.version()}`, kill: () => killByArgument(token) }
  } catch (error) {
    killByArgument(token)
    throw browserUnavailable(launchFault(name, executable, error), error)
  }
}

/**
 * Checks that pages can be rendered, before a crawl starts.
 * @throws ConfigurationError (BROWSER_UNAVAILABLE)
 */
export async function checkBrowser(name: BrowserName, executable: string | undefined): Promise<void> {
  const type = await browserType(name)
  const found = executable ?? findBrowser(name, process.env['PATH'] ?? '') ?? type.executablePath()
  if (!existsSync(found)) throw browserUnavailable(missingFault(name, executable))
}

/** @throws ConfigurationError (BROWSER_UNAVAILABLE) if the package is not installed */
async function browserType(name: BrowserName): Promise<BrowserType> {
  try {
    const playwright = await import('playwright-core')
    return playwright[name]
  } catch (error) {
    throw browserUnavailable(
      'rendering pages needs the package playwright-core: npm install playwright-core',
      error,
    )
  }
}

function launchFault(name: BrowserName, executable: string | undefined, error: unknown): string {
  const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  if (executable === undefined) return missingFault(name, executable)
  const sandbox = /sandbox|namespace/i.test(String(error))
    ? '; if the machine has no user namespaces, set render.sandbox to false'
    : ''
  const other = name === 'firefox' ? `; ${ONLY_CHROMIUM}` : ''
  return `${executable} does not start as a browser: ${printable(detail)}${sandbox}${other}`
}

function missingFault(name: BrowserName, executable: string | undefined): string {
  if (executable !== undefined) return `render.executable: there is no file ${printable(executable)}`
  const other = name === 'firefox' ? `; ${ONLY_CHROMIUM}` : ''
  return `no ${name} was found: install it (${INSTALL[name]}), or name its file in render.executable${other}`
}

const INSTALL: Readonly<Record<BrowserName, string>> = {
  chromium: 'apt install chromium, or npx playwright-core install chromium',
  firefox: 'npx playwright-core install firefox',
}

/** Firefox ESR 153 starts with Playwright's WebDriver BiDi, but lacks commands that opening a page needs. */
const ONLY_CHROMIUM =
  'only Chromium is supported (render.browser: chromium); of Firefox, only the build of Playwright may work'

const LAUNCH_MS = 60_000

const CHROMIUM_FLAGS = [
  // Names are not resolved, and nothing is sent past the proxy.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-pings',
  '--dns-prefetch-disable',
  '--mute-audio',
  '--disable-gpu',
  // A page cannot fill the memory of the machine with objects of its scripts.
  '--js-flags=--max-old-space-size=512',
]

const FIREFOX_PREFERENCES = {
  'media.peerconnection.enabled': false,
  'network.dns.disablePrefetch': true,
  'network.prefetch-next': false,
  'network.proxy.allow_hijacking_localhost': true,
}

function imageFlags(loadsImages: boolean): readonly string[] {
  return loadsImages ? [] : ['--blink-settings=imagesEnabled=false']
}

/** Ends the browser that was started with this argument: Playwright does not tell its process id. Its other processes end with it. */
function killByArgument(argument: string): void {
  if (process.platform === 'win32') return
  try {
    const list = execFileSync('ps', ['-A', '-o', 'pid=,args='], {
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    })
    for (const line of list.split('\n'))
      if (line.includes(argument)) process.kill(Number(line.trim().split(/\s/)[0]), 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
