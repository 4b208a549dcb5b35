import { open } from 'node:fs/promises'
import { type SpiderArguments, spider } from 'orbweaver'
import { z } from 'zod'

/** A few pages of each of many sites: --arg list=sites.txt names a file with a URL a line, of any length. */
export default ({ list = 'sites.txt' }: SpiderArguments) =>
  spider({
    name: 'many-sites',
    // The file is read as fast as there is room for more, and each site is kept to its own host.
    async *start() {
      const file = await open(list)
      for await (const line of file.readLines()) if (line.startsWith('http')) yield line
    },
    limits: { maxPagesPerHost: 5, depth: 2 },
    settings: {
      politeness: {
        threads: 100,
        delaySeconds: 2,
        // A host that takes long to answer is asked less often.
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
