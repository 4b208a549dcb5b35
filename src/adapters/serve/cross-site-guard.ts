import type { MiddlewareHandler } from 'hono'
import { refuse } from './refuse.ts'

/**
 * Rejects what a page of another site makes a browser request: it could not read the response, but each one costs a scan. Following a link to the search
 * page is allowed.
 */
export const crossSiteGuard: MiddlewareHandler = async (context, next) => {
  const isCrossSite = context.req.header('sec-fetch-site') === 'cross-site'
  const isVisit = context.req.header('sec-fetch-mode') === 'navigate' && !context.req.path.startsWith('/api/')
  if (!isCrossSite || isVisit) return next()
  return refuse(context, 'cross-site', 'Requests from pages of other sites are rejected.')
}
