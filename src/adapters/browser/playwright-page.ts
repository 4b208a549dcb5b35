import type { BrowserPage } from '../../domain/fetch/browser-page.ts'
import type { Tab } from './tab.ts'

/** The tab of a page, as a handler uses it. */
export class PlaywrightPage implements BrowserPage {
  readonly #tab: Tab
  #isOver = false

  constructor(tab: Tab) {
    this.#tab = tab
  }

  get url(): string {
    return this.#tab.page.url()
  }

  async html(): Promise<string> {
    return (await this.#open().read()).html
  }

  async click(selector: string): Promise<void> {
    await this.#open().page.locator(selector).first().click()
    await this.#tab.untilQuiet()
  }

  async fill(selector: string, value: string): Promise<void> {
    await this.#open().page.locator(selector).first().fill(value)
  }

  async select(selector: string, option: string): Promise<void> {
    await this.#open().page.locator(selector).first().selectOption(option)
    await this.#tab.untilQuiet()
  }

  async press(selector: string, key: string): Promise<void> {
    await this.#open().page.locator(selector).first().press(key)
    await this.#tab.untilQuiet()
  }

  async waitFor(
    selector: string,
    { timeoutSeconds = 30 }: { readonly timeoutSeconds?: number } = {},
  ): Promise<void> {
    await this.#open()
      .page.locator(selector)
      .first()
      .waitFor({ timeout: timeoutSeconds * 1_000 })
  }

  async waitUntilQuiet(): Promise<void> {
    await this.#open().untilQuiet()
  }

  async scrollToEnd({ maxTimes = 50 }: { readonly maxTimes?: number } = {}): Promise<number> {
    let height = -1
    for (let grown = -1; ; grown++) {
      const next = await this.#open().page.evaluate<number>('document.documentElement.scrollHeight')
      if (next <= height || grown >= maxTimes) return Math.max(0, grown)
      height = next
      await this.#tab.page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
      await this.#tab.untilQuiet()
    }
  }

  evaluate<Result = unknown>(script: string | (() => Result)): Promise<Result> {
    return this.#open().page.evaluate<Result>(typeof script === 'string' ? script : `(${script})()`)
  }

  screenshot(options: { readonly path?: string; readonly fullPage?: boolean } = {}): Promise<Uint8Array> {
    return this.#open().page.screenshot(options)
  }

  pdf(options: { readonly path?: string } = {}): Promise<Uint8Array> {
    return this.#open().page.pdf(options)
  }

  /** The handler has ended: the tab loads other pages from now on. */
  end(): void {
    this.#isOver = true
  }

  #open(): Tab {
    if (this.#isOver) throw new Error('page.browser can only be used until the handler of its page has ended')
    return this.#tab
  }
}
