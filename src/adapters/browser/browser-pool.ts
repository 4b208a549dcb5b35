import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import type { Clock } from '../../base/clock.ts'
import { BrowserHung, within } from './browser-error.ts'
import type { LaunchedBrowser } from './launch-browser.ts'
import { Tab, type TabOptions } from './tab.ts'

export interface BrowserPoolOptions {
  /** Maximum number of tabs in use. */
  readonly maxTabs: number
  /** Pages after which a browser is replaced: its memory grows. */
  readonly pagesPerBrowser: number
  /** Pages after which a tab is replaced. */
  readonly pagesPerTab: number
  readonly tab: TabOptions
}

/** A tab in use. */
export interface TabLease {
  readonly tab: Tab
  readonly browserName: string
  /** Gives it back. @param isUsable `false`: it hangs or has crashed */
  done(isUsable: boolean): Promise<void>
}

type StorageState = NonNullable<Exclude<BrowserContextOptions['storageState'], string>>

/** One browser process with its contexts. */
interface Generation {
  readonly launched: LaunchedBrowser
  readonly contexts: Map<string, Promise<BrowserContext>>
  readonly idle: Map<string, Tab[]>
  pages: number
  active: number
  isEnding: boolean
}

/** Lends tabs. Pages with the same session share a context; browsers, contexts and tabs are replaced before they grow. */
export class BrowserPool {
  readonly #clock: Clock
  readonly #options: BrowserPoolOptions
  readonly #launch: () => Promise<LaunchedBrowser>
  /** Cookies and storage of sessions, from the browser before. */
  readonly #kept = new Map<string, StorageState>()
  readonly #waiting: Array<() => void> = []
  #current: Promise<Generation> | undefined
  #inUse = 0
  #isClosed = false

  constructor(clock: Clock, launch: () => Promise<LaunchedBrowser>, options: BrowserPoolOptions) {
    this.#clock = clock
    this.#launch = launch
    this.#options = options
  }

  /** @throws ConfigurationError (BROWSER_UNAVAILABLE) */
  async take(session: string): Promise<TabLease> {
    if (this.#inUse >= this.#options.maxTabs)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#inUse++
    try {
      return await this.#lend(session)
    } catch (error) {
      this.#free()
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const current = await this.#current?.catch(() => undefined)
    if (current !== undefined) await this.#end(current)
  }

  async #lend(session: string): Promise<TabLease> {
    for (let attempt = 1; ; attempt++) {
      const generation = await this.#generation()
      generation.active++
      try {
        const tab = generation.idle.get(session)?.pop() ?? (await this.#openTab(generation, session))
        generation.pages++
        return {
          tab,
          browserName: generation.launched.name,
          done: (isUsable) => this.#done(generation, session, tab, isUsable),
        }
      } catch (error) {
        generation.active--
        this.#discard(generation)
        if (attempt === 2) throw error
      }
    }
  }

  async #generation(): Promise<Generation> {
    const current = await this.#current
    if (current !== undefined && !current.isEnding && current.launched.browser.isConnected()) {
      if (current.pages < this.#options.pagesPerBrowser) return current
      current.isEnding = true
      await this.#keepStorage(current)
      if (current.active === 0) await this.#end(current)
    }
    // Another page may have started the next one meanwhile.
    const newest = await this.#current
    if (newest !== undefined && newest !== current) return newest
    const next = this.#start()
    this.#current = next
    try {
      return await next
    } catch (error) {
      if (this.#current === next) this.#current = undefined
      throw error
    }
  }

  async #start(): Promise<Generation> {
    if (this.#isClosed) throw new BrowserHung('the browser is closed')
    const launched = await this.#launch()
    return { launched, contexts: new Map(), idle: new Map(), pages: 0, active: 0, isEnding: false }
  }

  async #openTab({ launched, contexts }: Generation, session: string): Promise<Tab> {
    const storageState = this.#kept.get(session)
    const context =
      contexts.get(session) ??
      launched.browser.newContext({
        serviceWorkers: 'block',
        acceptDownloads: false,
        ...(storageState !== undefined && { storageState }),
      })
    contexts.set(session, context)
    return within(OPEN_MS, 'opening a tab', Tab.open(await context, this.#clock, this.#options.tab))
  }

  async #done(generation: Generation, session: string, tab: Tab, isUsable: boolean): Promise<void> {
    const mayStay = isUsable && !generation.isEnding && tab.uses < this.#options.pagesPerTab
    try {
      await (mayStay ? tab.reset() : tab.close())
      if (mayStay) generation.idle.set(session, [...(generation.idle.get(session) ?? []), tab])
    } catch {
      // It does not respond. A tab that cannot be closed blocks its browser.
      await tab.close().catch(() => this.#discard(generation))
    }
    generation.active--
    if (generation.isEnding && generation.active === 0) await this.#end(generation)
    this.#free()
  }

  /** Replaces a browser that hangs or has crashed; pages that it renders fail at once. */
  #discard(generation: Generation): void {
    generation.isEnding = true
    generation.launched.kill()
  }

  async #keepStorage({ contexts }: Generation): Promise<void> {
    for (const [session, context] of contexts)
      try {
        this.#kept.set(session, await within(OPEN_MS, 'reading cookies', (await context).storageState()))
      } catch {
        // The session begins without cookies.
      }
  }

  async #end({ launched }: Generation): Promise<void> {
    try {
      await within(CLOSE_MS, 'closing the browser', launched.browser.close())
    } catch {
      launched.kill()
    }
  }

  #free(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#inUse--
    else next()
  }
}

const OPEN_MS = 20_000
const CLOSE_MS = 10_000
