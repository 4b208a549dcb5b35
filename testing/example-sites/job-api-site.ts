import { type ExampleSite, jsonDocument, portion, type SiteReply } from './example-site.ts'

const PER_ANSWER = 4

const JOBS = Array.from({ length: 21 }, (_, number) => ({
  id: 100 + number,
  title: `Keeper of lighthouse ${number}`,
  city: ['Bergen', 'Turku'][number % 2] ?? '',
  salary: number % 5 === 0 ? null : 30_000 + number * 1_000.5,
}))

/** What a search for a city finds. */
export function jobsIn(city: string) {
  return JOBS.filter((job) => job.city === city)
}

/** A search that accepts only POST and continues with a token from the last response. It also finds disallowed URLs. */
export const jobApiSite: ExampleSite = {
  disallowed: ['/api/internal/'],
  response({ method, path, body }) {
    if (path === '/api/search') return method === 'POST' ? search(body) : { status: 405, body: '' }
    const job = JOBS.find(({ id }) => path === `/api/jobs/${id}` || path === `/api/internal/${id}`)
    return job && jsonDocument(job)
  },
}

function search(body: string): SiteReply {
  const { city, after } = JSON.parse(body) as { readonly city: string; readonly after?: string }
  const page = Number(after?.replace('page-', '') ?? 0) + 1
  const { items, more } = portion(jobsIn(city), page, PER_ANSWER)
  return jsonDocument({
    jobs: [...items.map(({ id }) => ({ href: `jobs/${id}` })), { href: '/api/internal/100' }],
    next: more ? `page-${page}` : null,
  })
}
