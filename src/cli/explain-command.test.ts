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
  it('reports seed, links, fetches and the next fetch of a page', async () => {
    const url = crawls.web.url('home', '/')
    const text = await story(url)
    expect(text).toMatch(/^filter +accepted by default rules:/m)
    expect(text).toMatch(/^found +a seed$/m)
    expect(text).toMatch(/^fetch +\d{14} .* fetch_success \(SUCCESS\) {2}HTTP 200$/m)
    expect(text).toMatch(/^due +\d{4}-.*, in 30 d: fetch interval 30 d$/m)
    expect(await commandJson(['explain', dir, url])).toMatchObject({ seed: true, record: { url } })
  })

  it('reports the line of robots.txt that disallows a URL, and where the URL was found', async () => {
    const text = await story(crawls.web.url('bakery', '/account'))
    expect(text).toContain(`found    link on ${crawls.web.url('bakery', '/')} (`)
    expect(text).toContain('(ROBOTS_DENIED)  robots.txt: line 3: Disallow: /account')
    expect(text).toMatch(/^due .*: gone or forbidden; fetched again after 45 d$/m)
  })

  it('reports the target of a redirect once', async () => {
    const target = crawls.web.url('photos', '/about')
    const text = await story(crawls.web.url('home', '/~ada/'))
    expect(text).toMatch(/^fetch .*HTTP 301/m)
    expect(text.split(target)).toHaveLength(2)
  })

  it('gives the reason why a URL is not in the CrawlDb', async () => {
    expect(await command(['explain', dir, 'http://other.test/'])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('rejected by scope: other.test is not a seed host') as string,
    })
    expect(await story(crawls.web.url('home', '/nowhere'))).toContain('no fetched page links to it')
    expect(await story('ftp://a.test/')).toContain('cannot be crawled: ftp: is not http: or https:')
  })

  it('reports that a URL is due, and then the fetch list that it is on', async () => {
    const url = crawls.web.url('manual', '/')
    await command(['inject', dir, url])
    expect(await story(url)).toMatch(/^due +since .*; generate selects due URLs by score$/m)
    await command(['generate', dir])
    expect(await story(url)).toMatch(/^due +on the fetch list of segment \d{14}, until /m)
  })
})
