import { request, type SpiderArguments, spider } from 'orbweaver'
import { z } from 'zod'

const Job = z.object({ id: z.int(), title: z.string(), city: z.string(), salary: z.number().nullable() })
const Found = z.object({ jobs: z.array(z.object({ href: z.string() })), next: z.string().nullable() })

/** Jobs from a JSON API: a search by POST with paged results, and one document per job. */
export default ({ site = 'https://jobs.example/', city = 'Bergen' }: SpiderArguments) =>
  spider({
    name: 'job-api',
    start: [request(new URL('api/search', site), { json: { city } })],
    item: Job,

    *parse(page) {
      const { jobs, next } = page.json(Found)
      for (const { href } of jobs) yield page.follow(href, 'job')
      if (next !== null) yield page.follow(page.url, { json: { city, after: next } })
    },

    handlers: {
      job(page) {
        return page.item(page.json(Job))
      },
    },
  })
