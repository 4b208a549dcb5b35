import type { Exchange } from './exchange.ts'
import { endless, ok, type Routes, raw, rawAndStay, route } from './route.ts'

const PAGE = '<title>fine</title>'
const CHUNKED = 'Transfer-Encoding: chunked'

/** Status lines, lengths and chunks that are not what HTTP/1.1 says. */
export const framingRoutes: Routes = {
  '/silence': route([9], 'takes the request and never responds', () => {}),
  '/reset-once': route([11], 'resets the first connection, responds the second', resetOnce()),
  '/stale-keep-alive': route(
    [12],
    'closes a kept connection when the next request arrives on it',
    (exchange) => {
      if (exchange.request.earlierOnConnection > 0) exchange.hangUp()
      else exchange.reply({ body: PAGE })
    },
  ),
  '/drop-mid-body': route(
    [23],
    'hangs up in the middle of the body',
    raw(`${ok('Content-Length: 1000')}${PAGE}`),
  ),
  '/reset-mid-body': route([11], 'resets in the middle of the body', async (exchange) => {
    await exchange.send(`${ok('Content-Length: 1000')}${PAGE}`)
    // The reset must not overtake the bytes.
    await exchange.pause(50)
    exchange.reset()
  }),

  '/http-0.9': route([18], 'a body and nothing else', raw(PAGE)),
  '/garbage': route([18], 'bytes that mean nothing', raw(Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10]))),
  '/nothing': route([18], 'hangs up without a byte', raw('')),
  '/bad-version': route(
    [18],
    'a version that does not exist',
    raw('HTTP/7.5 200 OK\r\nContent-Length: 0\r\n\r\n'),
  ),
  '/status/no-reason': route(
    [19],
    'a status without a reason',
    raw(`HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n`),
  ),
  '/status/099': route([19], 'a status below 100', raw('HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n')),
  '/status/600': route([19], 'a status of no class', raw('HTTP/1.1 600 High\r\nContent-Length: 0\r\n\r\n')),
  '/status/999': route(
    [19],
    'the status of sites that dislike robots',
    raw('HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n'),
  ),
  '/status/text': route([19], 'an invalid status', raw('HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n')),

  '/1xx/one': route(
    [20],
    'one 103 before the response',
    raw(`HTTP/1.1 103 Early Hints\r\n\r\n${ok('Content-Length: 0')}`),
  ),
  '/1xx/continue': route(
    [20],
    'an unexpected 100',
    raw(`HTTP/1.1 100 Continue\r\n\r\n${ok('Content-Length: 0')}`),
  ),
  '/1xx/flood': route([20], '103 for ever', endless('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 1)),
  '/1xx/switch': route(
    [20],
    'switches to another protocol',
    raw('HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n'),
  ),

  '/length/conflict': route(
    [22],
    'two lengths',
    raw(`${ok('Content-Length: 5', 'Content-Length: 6')}hello!`),
  ),
  '/length/same-twice': route(
    [22],
    'one length twice',
    raw(`${ok('Content-Length: 5', 'Content-Length: 5')}hello`),
  ),
  '/length/same-list': route(
    [22],
    'one length twice in one header',
    raw(`${ok('Content-Length: 5, 5')}hello`),
  ),
  '/length/list': route([22], 'two lengths in one header', raw(`${ok('Content-Length: 5, 6')}hello!`)),
  '/length/and-chunked': route(
    [22],
    'a length and chunks',
    raw(`${ok('Content-Length: 5', CHUNKED)}5\r\nhello\r\n0\r\n\r\n`),
  ),
  '/length/larger': route([23], 'less body than promised', raw(`${ok('Content-Length: 1000')}${PAGE}`)),
  '/length/smaller': route(
    [23],
    'more body than promised',
    rawAndStay(`${ok('Content-Length: 5')}hello, and HTTP/1.1 200 OK`),
  ),
  '/length/smuggled': route(
    [23, 25],
    'a second response in the bytes beyond the length',
    rawAndStay(`${ok('Content-Length: 5')}hello${ok('Content-Length: 8')}smuggled`),
  ),
  '/length/negative': route([23], 'a negative length', raw(`${ok('Content-Length: -5')}hello`)),
  '/length/2-to-64': route(
    [23],
    'a length of 2^64',
    raw(`${ok('Content-Length: 18446744073709551616')}hello`),
  ),
  '/length/text': route([23], 'an invalid length', raw(`${ok('Content-Length: many')}hello`)),
  '/length/none': route([23], 'no length: the body ends with the connection', raw(`${ok()}${PAGE}`)),

  '/chunked/good': route(
    [24],
    'chunks as they should be',
    rawAndStay(`${ok(CHUNKED)}5\r\nhello\r\n0\r\n\r\n`),
  ),
  '/chunked/bad-size': route(
    [24],
    'an invalid chunk size',
    raw(`${ok(CHUNKED)}5\r\nhello\r\nzz\r\nworld\r\n`),
  ),
  '/chunked/huge-size': route([24], 'a chunk size of 2^68', raw(`${ok(CHUNKED)}fffffffffffffffff\r\nhello`)),
  '/chunked/no-end': route([24], 'no final chunk', raw(`${ok(CHUNKED)}5\r\nhello\r\n`)),
  '/chunked/no-crlf': route(
    [24],
    'a chunk longer than its size',
    raw(`${ok(CHUNKED)}5\r\nhello world\r\n0\r\n\r\n`),
  ),
  '/chunked/extensions': route(
    [24],
    'an extension without end',
    endless(`${ok(CHUNKED)}5;x=`, 'y'.repeat(1_000), 1),
  ),
  '/chunked/trailers': route(
    [24],
    'trailers without end',
    endless(`${ok(CHUNKED)}5\r\nhello\r\n0\r\n`, 'X-T: y\r\n'.repeat(100), 1),
  ),

  '/body-of/204': route(
    [25],
    'a 204 with a body',
    rawAndStay('HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled'),
  ),
  '/body-of/304': route(
    [25],
    'a 304 with a body',
    rawAndStay('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello'),
  ),
  '/body-of/head': route([25], 'a body after HEAD', rawAndStay(`${ok('Content-Length: 5')}hello`)),
}

function resetOnce(): (exchange: Exchange) => void {
  let first = true
  return (exchange) => {
    if (first) exchange.reset()
    else exchange.reply({ body: PAGE })
    first = false
  }
}
