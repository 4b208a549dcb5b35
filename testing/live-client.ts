import type { CrawlList, LiveAction, LiveActionResult, LiveMessage } from '../src/adapters/serve/responses.ts'
import type { LiveReport } from '../src/domain/live/live-report.ts'

/** A client of the live API, as the page is one. */
export class LiveClient {
  readonly #url: string

  /** @param url of the server, with the slash at its end */
  constructor(url: string) {
    this.#url = url
  }

  crawls(): Promise<CrawlList> {
    return this.get<CrawlList>('crawls')
  }

  async get<T>(path: string): Promise<T> {
    return (await (await fetch(`${this.#url}api/${path}`)).json()) as T
  }

  async act(action: LiveAction, crawl?: string): Promise<LiveActionResult> {
    const { access } = await this.crawls()
    const query = crawl === undefined ? '' : `?crawl=${encodeURIComponent(crawl)}`
    const response = await fetch(`${this.#url}api/live/actions${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-orbweaver-csrf': access.csrfToken ?? '' },
      body: JSON.stringify(action),
    })
    return (await response.json()) as LiveActionResult
  }

  /** The messages of the server, until the reader stops or the server ends. */
  async *messages(crawl?: string): AsyncGenerator<LiveMessage> {
    const query = crawl === undefined ? '' : `?crawl=${encodeURIComponent(crawl)}`
    const { body } = await fetch(`${this.#url}api/live${query}`)
    if (body === null) return
    let text = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events)
        if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length)) as LiveMessage
    }
  }

  /** Waits for a report that is as wanted. */
  async reportWhen(isWanted: (report: LiveReport) => boolean, crawl?: string): Promise<LiveReport> {
    for await (const message of this.messages(crawl))
      if (message.state === 'running' && isWanted(message.report)) return message.report
    throw new Error('the server ended before the wanted report')
  }
}
