import type { Response } from './exchange.ts'
import { type Routes, raw, reply, route } from './route.ts'

/** Ways to be sent elsewhere, or round in circles. */
export const redirectRoutes: Routes = {
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `/moved/${status}`,
      route([52], `${status} to a page`, to('/chunked/good', status)),
    ]),
  ),
  '/moved/chain': route([52], 'the number of hops in ?n=', (exchange) => {
    const left = Number(exchange.request.query.get('n') ?? 0)
    return to(left > 0 ? `/moved/chain?n=${left - 1}` : '/chunked/good')(exchange)
  }),
  '/moved/self': route([52], 'to itself', to('/moved/self')),
  '/moved/a': route([52], 'to b, which leads back', to('/moved/b')),
  '/moved/b': route([52], 'to a, which leads back', to('/moved/a')),
  '/moved/growing': route([52], 'to itself with a longer query each time', (exchange) =>
    to(`${exchange.request.target}${exchange.request.target.includes('?') ? '&' : '?'}again=1`)(exchange),
  ),
  '/moved/nowhere': route([52], 'a 302 without Location', reply({ status: 302 })),
  '/moved/empty': route([52], 'a 302 with an empty Location', to('')),
  '/moved/relative': route([52], 'a relative Location', to('../chunked/good?a=1#part')),
  '/moved/scheme-relative': route([52], 'a Location without scheme', to('//other.test/page')),
  '/moved/non-ascii': route(
    [52],
    'a Location in raw UTF-8',
    raw('HTTP/1.1 302 OK\r\nLocation: /caf\u00e9 au lait\r\nContent-Length: 0\r\n\r\n'),
  ),
  '/moved/twice': route(
    [52],
    'two Locations',
    reply({ status: 302, headers: { Location: ['/first', '/second'] } }),
  ),
  '/moved/broken': route([52], 'a Location that is no URL', to('http://[broken/')),
  '/moved/long': route([50, 52], 'a Location of 12 KB', to(`/${'x'.repeat(12_000)}`)),
  '/moved/300': route([52], 'a 300 with no Location', reply({ status: 300, body: 'choose' })),
  '/moved/304': route([52], 'a 304 for an unconditional request', reply({ status: 304 })),
  '/moved/private': route([7, 52], 'into a private network', to('http://10.0.0.1/')),
  '/moved/metadata': route(
    [7, 52],
    'to the metadata service of a cloud',
    to('http://169.254.169.254/latest/'),
  ),
  '/moved/disguised': route([5, 7, 52], 'to loopback, written as one number', to('http://2130706433/')),
  '/moved/file': route([51, 52], 'to a file', to('file:///etc/passwd')),
  '/moved/script': route([51, 52], 'to a script', to('javascript:alert(1)')),
  '/moved/credentials': route([50, 52], 'to a URL with a password', to('http://user:secret@other.test/')),
  '/moved/bad-port': route([17, 52], 'to a mail server', to('http://other.test:25/')),
}

function to(location: string, status = 302): Response {
  return reply({ status, headers: { Location: location } })
}
