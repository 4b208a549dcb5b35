/** A page in the browser that rendered it, for clicks, waits and pictures. Selectors are CSS; each method waits until its element is there. */
export interface BrowserPage {
  /** The present address. */
  readonly url: string
  /** The present HTML. */
  html(): Promise<string>
  /** Clicks the first match, and waits until the requests that follow have ended. */
  click(selector: string): Promise<void>
  /** Replaces the value of an input. */
  fill(selector: string, value: string): Promise<void>
  /** Selects the option of a `<select>` with this value or label. */
  select(selector: string, option: string): Promise<void>
  /** Presses a key, as in `Enter` or `ArrowDown`. */
  press(selector: string, key: string): Promise<void>
  /** Waits until an element matches. @throws Error after `timeoutSeconds`. @default 30 seconds */
  waitFor(selector: string, options?: { readonly timeoutSeconds?: number }): Promise<void>
  /** Waits until the page has no requests left. */
  waitUntilQuiet(): Promise<void>
  /** Scrolls to the end until the page grows no more. Returns how often it grew. @param options.maxTimes @default 50 */
  scrollToEnd(options?: { readonly maxTimes?: number }): Promise<number>
  /** Runs an expression or a function without arguments in the page. Its result must be JSON. */
  evaluate<Result = unknown>(script: string | (() => Result)): Promise<Result>
  /** A PNG of the visible part, or of the whole page. With `path`, it is also written to that file. */
  screenshot(options?: { readonly path?: string; readonly fullPage?: boolean }): Promise<Uint8Array>
  /** The page as a PDF (Chromium only). With `path`, it is also written to that file. */
  pdf(options?: { readonly path?: string }): Promise<Uint8Array>
}
