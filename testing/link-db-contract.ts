import { mkdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CrawlStores, type OpenStores, TestCrawl } from './crawl-directory.ts'
import { writeSegmentPart } from './segment-parts.ts'

/** Contract tests of every LinkDb. */
export function linkDbContract(name: string, open: OpenStores): void {
  describe(`${name} as a LinkDb`, () => {
    let crawl: TestCrawl<CrawlStores>
    beforeEach(async () => {
      crawl = await TestCrawl.createWith(open)
    })
    afterEach(() => crawl.remove())

    /** A page with its links and their anchors, parsed in a segment. */
    async function parsed(
      segment: string,
      url: string,
      links: readonly (readonly [string, string])[],
    ): Promise<void> {
      const page = { url, outlinks: links.map(([to]) => to), anchors: links.map(([, anchor]) => anchor) }
      await writeSegmentPart(crawl.segmentPath(segment), { pages: [page], fetch: [{ url }] })
    }

    it('returns the inlinks of a URL, with their anchor texts', async () => {
      await parsed(OLD, A, [
        [C, 'see C'],
        [C, 'see C'],
        [C, 'C again'],
        [B, ''],
      ])
      await parsed(OLD, B, [[C, 'x'.repeat(200)]])
      expect(await crawl.directory.links.invert({ segments: [OLD] })).toEqual({ pages: 2, links: 4 })
      expect(await crawl.directory.links.inlinks(C)).toEqual([
        { from: A, anchor: 'C again' },
        { from: A, anchor: 'see C' },
        { from: B, anchor: 'x'.repeat(100) },
      ])
      expect(await crawl.directory.links.inlinks('http://unlinked.test/')).toEqual([])
    })

    it('removes links that a page no longer has', async () => {
      await parsed(OLD, A, [
        [B, 'b'],
        [C, 'c'],
      ])
      await parsed(NEW, A, [[C, 'new']])
      await crawl.directory.links.invert({ segments: [OLD] })
      await crawl.directory.links.invert({ segments: [NEW] })
      expect(await crawl.directory.links.inlinks(B)).toEqual([])
      expect(await crawl.directory.links.inlinks(C)).toEqual([{ from: A, anchor: 'new' }])
      // An older segment has nothing to tell about a page that a newer one knows.
      await crawl.directory.links.invert({ segments: [OLD] })
      expect(await crawl.directory.links.inlinks(C)).toEqual([{ from: A, anchor: 'new' }])
    })

    it('takes the newest of several segments at once', async () => {
      await parsed(OLD, A, [[B, 'old']])
      await parsed(NEW, A, [[B, 'new']])
      await crawl.directory.links.invert({ segments: [NEW, OLD] })
      expect(await crawl.directory.links.inlinks(B)).toEqual([{ from: A, anchor: 'new' }])
    })

    it('leaves out internal or external links, as configured', async () => {
      await parsed(OLD, A, [
        ['http://a.test/2', 'inside'],
        [B, 'outside'],
      ])
      await crawl.directory.links.invert({ segments: [OLD] })
      expect(await crawl.directory.links.inlinks('http://a.test/2')).toEqual([])
      await crawl.directory.links.invert({ segments: [OLD], ignoreInternal: false, ignoreExternal: true })
      expect(await crawl.directory.links.inlinks('http://a.test/2')).toHaveLength(1)
      expect(await crawl.directory.links.inlinks(B)).toEqual([])
    })

    it('leaves out what was inverted before, if only new pages are wanted', async () => {
      await parsed(OLD, A, [[C, 'first']])
      await crawl.directory.links.invert({ segments: [OLD] })
      await parsed(NEW, B, [[C, 'second']])
      const request = { segments: [OLD, NEW], ignoreInternal: false, onlyNew: true }
      expect(await crawl.directory.links.invert(request)).toEqual({ pages: 1, links: 1 })
      expect(await crawl.directory.links.inlinks(C)).toHaveLength(2)
      expect(await crawl.directory.links.invert(request)).toEqual({ pages: 0, links: 0 })
    })

    it('limits the links to a URL', async () => {
      for (const host of ['a', 'b', 'd', 'e']) await parsed(OLD, `http://${host}.test/`, [[C, host]])
      expect(await crawl.directory.links.invert({ segments: [OLD], maxInlinks: 3 })).toEqual({
        pages: 4,
        links: 3,
      })
      expect(await crawl.directory.links.inlinks(C)).toHaveLength(3)
    })

    it('has nothing to do where nothing was parsed', async () => {
      await mkdir(crawl.segmentPath(OLD))
      expect(await crawl.directory.links.invert({ segments: [OLD] })).toEqual({ pages: 0, links: 0 })
    })
  })
}

const OLD = '20270101000000'
const NEW = '20270102000000'
const A = 'http://a.test/'
const B = 'http://b.test/'
const C = 'http://c.test/'
