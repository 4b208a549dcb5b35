import { page, type Routes, reply, route } from './route.ts'

/** Error responses. */
export const statusRoutes: Routes = {
  ...Object.fromEntries(
    [400, 401, 402, 403, 404, 405, 406, 407, 408, 410, 418, 429, 451, 500, 502, 503, 504].map((status) => [
      `/status/${status}`,
      route([60], `status ${status}`, reply({ status, body: `status ${status}` })),
    ]),
  ),
  '/retry-after/seconds': tooMany('120'),
  '/retry-after/date': route([30], 'Retry-After with a date ten minutes ahead', (exchange) =>
    exchange.reply({ status: 503, headers: { 'Retry-After': new Date(Date.now() + 600_000).toUTCString() } }),
  ),
  '/retry-after/negative': tooMany('-1'),
  '/retry-after/huge': tooMany('10000000000'),
  '/retry-after/past': tooMany('Wed, 21 Oct 2015 07:28:00 GMT'),
  '/retry-after/garbage': tooMany('soon, I hope'),
  '/retry-after/fraction': tooMany('1.5'),
  '/captcha': route(
    [59],
    'a page that wants to know whether we are human',
    page('<title>Just a moment…</title><form id="challenge">'),
  ),
  '/login': route(
    [59],
    'a login form with status 200',
    page('<title>Log in</title><form><input type="password">'),
  ),
}

function tooMany(retryAfter: string) {
  return route(
    [30],
    `429 with Retry-After: ${retryAfter}`,
    reply({ status: 429, headers: { 'Retry-After': retryAfter } }),
  )
}
