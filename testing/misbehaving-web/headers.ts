import { endless, ok, type Routes, raw, reply, route } from './route.ts'

const EMPTY = 'Content-Length: 0'

/** Header blocks that are too big, or not header blocks. */
export const headerRoutes: Routes = {
  '/headers/64-kb': route(
    [21],
    'a header block over 64 KB',
    raw(() => ok(EMPTY, ...many(100, (i) => `X-${i}: ${'x'.repeat(800)}`))),
  ),
  '/headers/1-mb': route(
    [21],
    'one header of 1 MB',
    raw(() => ok(EMPTY, `X-Big: ${'x'.repeat(1_048_576)}`)),
  ),
  '/headers/10000': route(
    [21],
    '10,000 headers',
    raw(() => ok(EMPTY, ...many(10_000, (i) => `X-${i}: y`))),
  ),
  '/headers/endless': route(
    [21],
    'headers without end',
    endless('HTTP/1.1 200 OK\r\n', 'X-More: y\r\n'.repeat(100), 1),
  ),
  '/headers/no-colon': route([21], 'a header line without a colon', raw(ok(EMPTY, 'this is not a header'))),
  '/headers/only-colon': route([21], 'a header line of one colon', raw(ok(EMPTY, ': nameless'))),
  '/headers/nul': route([21], 'a NUL in a value', raw(ok(EMPTY, 'X-Nul: a\0b'))),
  '/headers/cr': route([21], 'a bare CR in a value', raw(ok(EMPTY, 'X-Cr: a\rX-Injected: yes'))),
  '/headers/folded': route(
    [21],
    'a value on two lines (obsolete line folding)',
    raw(ok(EMPTY, 'X-Two-Lines: one', '  two')),
  ),
  '/headers/escape': route(
    [21],
    'a terminal escape in a value',
    raw(Buffer.from(ok(EMPTY, 'X-Escape: \x1b[31mred'), 'latin1')),
  ),
  '/headers/latin1': route(
    [21],
    'bytes over 127 in a value',
    raw(Buffer.from(ok(EMPTY, 'X-Name: caf\xe9'), 'latin1')),
  ),
  '/headers/lf-only': route(
    [21],
    'lines that end in LF alone',
    raw('HTTP/1.1 200 OK\nContent-Length: 5\n\nhello'),
  ),

  '/cookies/10000': route(
    [29],
    '10,000 cookies',
    raw(() => ok(EMPTY, ...many(10_000, (i) => `Set-Cookie: c${i}=1`))),
  ),
  '/cookies/many': route(
    [29],
    'more cookies than a jar should keep',
    reply({ headers: { 'Set-Cookie': many(500, (i) => `c${i}=1`) } }),
  ),
  '/cookies/big': route(
    [29],
    'a cookie of 12 KB',
    reply({ headers: { 'Set-Cookie': `big=${'x'.repeat(12_000)}` } }),
  ),
  '/cookies/public-suffix': route(
    [29],
    'cookies for all the world',
    reply({
      headers: {
        'Set-Cookie': ['a=1; Domain=test', 'b=1; Domain=co.uk', 'c=1; Domain=com', 'd=1; Domain=other.test'],
      },
    }),
  ),
  '/cookies/bad-dates': route(
    [29],
    'cookies with dates of no calendar',
    reply({
      headers: {
        'Set-Cookie': ['a=1; Expires=Foo, 99 Bar 99999 99:99:99', 'b=1; Max-Age=1e99', 'gone=1; Max-Age=0'],
      },
    }),
  ),
  '/cookies/echo': route([29], 'says which cookies it got', (exchange) =>
    exchange.reply({ body: exchange.request.headers.get('cookie') ?? '' }),
  ),
}

function many(count: number, make: (i: number) => string): string[] {
  return Array.from({ length: count }, (_, i) => make(i))
}
