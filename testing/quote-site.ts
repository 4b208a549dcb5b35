import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Response } from './misbehaving-web/exchange.ts'
import { page, reply } from './misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from './misbehaving-web.ts'

/** Pages of quotes, each with a link to the next. */
export const QUOTE_PAGES = 6
export const QUOTES_ON_PAGE = 3

/** A site of quotes on 127.0.0.1, and a folder for spiders and their crawls. */
export class QuoteSite {
  readonly web: MisbehavingWeb
  readonly origin: string
  readonly folder: string
  /** Called with each requested page, before the response. */
  onRequested = (_page: number): void => {}

  private constructor(web: MisbehavingWeb, folder: string) {
    this.web = web
    web.serve(
      '127.0.0.1',
      quotePages((page) => this.onRequested(page)),
    )
    this.origin = web.origin('127.0.0.1')
    this.folder = folder
  }

  static async start(): Promise<QuoteSite> {
    return new QuoteSite(await startMisbehavingWeb(), mkdtempSync(join(tmpdir(), 'orbweaver-quotes-')))
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** The paths requested since the last `judge.reset()`, without robots.txt. */
  get requested(): string[] {
    return this.web.judge.hits.map(({ path }) => path).filter((path) => path !== '/robots.txt')
  }

  /**
   * Writes a file that vitest will load, which does not know the door that the program opens for spiders: `orbweaver` and `zod` are given
   * their places. `SITE` in it is the origin of this site.
   */
  write(name: string, text: string): string {
    const file = this.path(name)
    writeFileSync(
      file,
      text
        .replaceAll('SITE', this.origin)
        .replaceAll("'orbweaver'", `'${DOOR}'`)
        .replaceAll("'zod'", `'${ZOD}'`),
    )
    return file
  }

  /** A spider that gets every quote, without a delay. @param more of its definition */
  quotes(name: string, more = ''): string {
    return this.write(
      `${name}.ts`,
      `import { spider } from 'orbweaver'
import { z } from 'zod'

export default spider({
  name: '${name}',
  start: ['SITE/'],
  item: z.object({ text: z.string(), author: z.string() }),
  settings: { agent: { email: 'test@localhost' }, politeness: { delaySeconds: 0, backoffSeconds: 0.01 } },
  *parse(page) {
    for (const quote of page.css('.quote'))
      yield page.item({ text: quote.text('.text'), author: quote.text('.author') })
    yield* page.followAll('a.next')
  },
  ${more}
})
`,
    )
  }

  async close(): Promise<void> {
    await this.web.close()
    rmSync(this.folder, { recursive: true })
  }
}

const DOOR = join(import.meta.dirname, '../src/index.ts')
const ZOD = fileURLToPath(import.meta.resolve('zod'))

function quotePages(onRequested: (page: number) => void): Record<string, Response> {
  const pages = Array.from({ length: QUOTE_PAGES }, (_, i) => i + 1)
  const response =
    (n: number): Response =>
    (exchange) => {
      onRequested(n)
      return page(quotePage(n))(exchange)
    }
  return {
    ...Object.fromEntries(pages.map((n) => [n === 1 ? '/' : `/page/${n}`, response(n)])),
    '/old': reply({ status: 302, headers: { location: '/page/2' } }),
  }
}

function quotePage(n: number): string {
  const quotes = Array.from(
    { length: QUOTES_ON_PAGE },
    (_, i) =>
      `<div class="quote"><span class="text">Quote ${n}-${i + 1}</span> <b class="author">Author ${i + 1}</b></div>`,
  )
  const next = n < QUOTE_PAGES ? `<a class="next" href="/page/${n + 1}">Next</a>` : ''
  return `<title>Quotes ${n}</title>${quotes.join('\n')}${next}`
}
