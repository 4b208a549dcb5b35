import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
})

afterAll(() => crawls.close())

async function story(url: string): Promise<string> {
  const { stdout } = await command(['explain', dir, url])
  return stdout
}

describe('explain', () => {
  it('tells of a page: seed, links, visit, and why it is not due', async () => {
    const url = crawls.web.url('home', '/')
    const text = await story(url)
    expect(text).toMatch(/^filter +accepted by default rules:/m)
    expect(text).toMatch(/^found +a seed$/m)
    expect(text).toMatch(/^visit +\d{14} .* fetch_success \(SUCCESS\) {2}HTTP 200$/m)
    expect(text).toMatch(/^due +\d{4}-.*, in 30 d: fetch interval 30 d$/m)
    expect(await commandJson(['explain', dir, url])).toMatchObject({ seed: true, record: { url } })
  })

  it('tells which line of robots.txt forbids a URL, and where it was found', async () => {
    const text = await story(crawls.web.url('bakery', '/account'))
    expect(text).toContain(`found    link on ${crawls.web.url('bakery', '/')} (`)
    expect(text).toContain('(ROBOTS_DENIED)  robots.txt: line 3: Disallow: /account')
    expect(text).toMatch(/^due .*: it is gone or forbidden, and asked for again after 45 d$/m)
  })

  it('tells where a redirect leads, once', async () => {
    const target = crawls.web.url('photos', '/about')
    const text = await story(crawls.web.url('home', '/~ada/'))
    expect(text).toMatch(/^visit .*HTTP 301/m)
    expect(text.split(target)).toHaveLength(2)
  })

  it('gives the reason why a URL is not in the CrawlDb', async () => {
    expect(await command(['explain', dir, 'http://other.test/'])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('rejected by scope: other.test is not a seed host') as string,
    })
    expect(await story(crawls.web.url('home', '/nowhere'))).toContain('no page that was fetched links to it')
    expect(await story('ftp://a.test/')).toContain('cannot be crawled: ftp: is not http: or https:')
  })

  it('tells when the next generate takes a URL, and which list it is on then', async () => {
    const url = crawls.web.url('manual', '/')
    await command(['inject', dir, url])
    expect(await story(url)).toMatch(/^due +since .*: the next generate takes it/m)
    await command(['generate', dir])
    expect(await story(url)).toMatch(/^due +on the fetch list of segment \d{14}, until /m)
  })
})
