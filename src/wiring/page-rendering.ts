import type { Settings } from '../adapters/config/config-schema.ts'
import type { Clock } from '../base/clock.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { PageRenderer, RenderMode } from '../domain/fetch/page-renderer.ts'
import type { PageRendering } from '../domain/politeness/rendering-fetcher.ts'
import { compileLinear } from '../domain/url/linear-pattern.ts'

/** The modes of a spider: one for all pages, or by handler. */
export type SpiderRender = RenderMode | Readonly<Record<string, RenderMode>>

/**
 * Rendering by the settings of a run. The browser starts with the first page that needs it.
 * @param byHandler modes of the handlers of a spider
 * @throws ConfigurationError (BROWSER_UNAVAILABLE) if pages are to be rendered and there is no browser
 */
export async function openRendering(
  settings: Settings,
  clock: Clock,
  log: EventLog,
  byHandler: Readonly<Record<string, RenderMode>> = {},
): Promise<PageRendering> {
  const { mode, urls } = settings.render
  const rules = urls.map(({ match, mode: own }, i) => ({
    pattern: compileLinear(match, `render.urls[${i}].match`),
    mode: own,
  }))
  const modes = [mode, ...rules.map((rule) => rule.mode), ...Object.values(byHandler)]
  const isUsed = modes.some((one) => one !== 'never')
  return {
    renderer: isUsed ? await openRenderer(settings, clock, log) : NO_RENDERER,
    counts: { rendered: 0, failed: 0, apps: 0 },
    isUsed,
    modeOf: (url, handler) =>
      rules.find(({ pattern }) => pattern.test(url))?.mode ??
      (handler !== undefined && Object.hasOwn(byHandler, handler) ? byHandler[handler] : undefined) ??
      mode,
  }
}

async function openRenderer(settings: Settings, clock: Clock, log: EventLog): Promise<PageRenderer> {
  // Loaded late: most crawls render nothing.
  const { PlaywrightRenderer } = await import('../adapters/browser/playwright-renderer.ts')
  const { checkBrowser } = await import('../adapters/browser/launch-browser.ts')
  const { render, http } = settings
  const { browser, executable, sandbox } = render
  await checkBrowser(browser, executable)
  return new PlaywrightRenderer(clock, {
    ...{ browser, ...withoutUndefined({ executable, sandbox }) },
    maxTabs: render.pages,
    pagesPerBrowser: render.pagesPerBrowser,
    pagesPerTab: PAGES_PER_TAB,
    maxBytes: http.maxBodyBytes,
    tab: {
      resources: new Set(render.resources),
      timeoutMs: render.timeoutSeconds * 1_000,
      maxWaitMs: render.maxWaitSeconds * 1_000,
      quietMs: render.quietSeconds * 1_000,
      maxRequests: render.maxRequests,
      maxChars: http.maxBodyBytes,
    },
    onNotice: (message) => logEvent(log, 'BROWSER_WITHOUT_SANDBOX', message),
  })
}

const PAGES_PER_TAB = 100

const NO_RENDERER: PageRenderer = {
  render: () => Promise.reject(new Error('pages are not rendered in this run')),
  close: () => Promise.resolve(),
}
