import { open } from 'node:fs/promises'
import { type SpiderArguments, spider } from 'orbweaver'
import { z } from 'zod'

/** A few pages of each of many sites: --arg list=sites.txt is a file of any length with one URL per line. */
export default ({ list = 'sites.txt' }: SpiderArguments) =>
  spider({
    name: 'many-sites',
    // The file is read as fast as requests are needed. Without `allow`, links to other hosts are not followed.
    async *start() {
      const file = await open(list)
      for await (const line of file.readLines()) if (line.startsWith('http')) yield line
    },
    limits: { maxPagesPerHost: 5, depth: 2 },
    settings: {
      politeness: {
        threads: 100,
        delaySeconds: 2,
        // A slow host receives fewer requests.
        latencyFactor: 5,
        hosts: { 'archive.example': { delaySeconds: 30 } },
      },
    },
    item: z.object({ url: z.url(), title: z.string(), language: z.string().optional() }),

    *parse(page) {
      yield page.item({
        url: page.url,
        title: page.text('title'),
        language: page.css('html').attr('lang'),
      })
      yield* page.followAll('a')
    },
  })
