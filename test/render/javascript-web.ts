import { test } from 'vitest'
import { steadyClock } from '../../src/base/clock.ts'
import { ExampleServer } from '../../testing/example-sites/example-server.ts'
import type { ExampleSite } from '../../testing/example-sites/example-site.ts'
import { Judge } from '../../testing/judge.ts'
import { requireChromium } from '../../testing/require-chromium.ts'

/** For tests that render pages: skipped if there is no Chromium. */
export const it = requireChromium() ? test : test.skip

/** A site at an address of its own, with a judge that knows which requests belong to their page. */
export class JavaScriptWeb {
  readonly judge = new Judge(steadyClock)
  readonly #server: ExampleServer

  private constructor(site: ExampleSite) {
    this.#server = new ExampleServer(site, this.judge)
  }

  static async start(site: ExampleSite, address: string): Promise<JavaScriptWeb> {
    const web = new JavaScriptWeb(site)
    await web.#server.listen(address)
    return web
  }

  get origin(): string {
    return this.#server.origin
  }

  /** The paths of all requests, in their order. */
  get paths(): string[] {
    return this.judge.hits.map(({ path }) => path)
  }

  /** Violations; scripts and stylesheets (`/assets/`) have no delay, but each is requested once, after robots.txt. */
  violations(minGapMs: number): string[] {
    const free = { minGapMs: 0, maxInParallel: 100, robotsFirst: false }
    return this.judge.violations({ minGapMs, perHost: { assets: free } }, ({ path, host }) =>
      path.startsWith('/assets/') ? 'assets' : host,
    )
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}
