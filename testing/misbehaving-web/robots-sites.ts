import { bombs } from './bombs.ts'
import type { Response } from './exchange.ts'
import { endless, ok, page, type Routes, raw, reply, route } from './route.ts'

const RULES = 'User-agent: *\nDisallow: /private\n'

/** Hosts whose /robots.txt misbehaves in this way. Every other path of theirs is an ordinary page. */
export const robotsSites: Routes = {
  'robots-good.test': robots('as it should be', text(RULES)),
  ...Object.fromEntries(
    [401, 403, 404, 410, 429, 500, 503].map((status) => [
      `robots-${status}.test`,
      robots(`status ${status}`, reply({ status })),
    ]),
  ),
  'robots-reset.test': robots('a reset', (exchange) => exchange.reset()),
  'robots-html.test': robots(
    'an HTML page',
    page('<!doctype html><title>Home</title><p>User-agent: *<p>Disallow: /'),
  ),
  'robots-empty.test': robots('nothing', text('')),
  'robots-huge.test': robots(
    '5 MB, with the rules at the start',
    text(`${RULES}${'# filler\n'.repeat(600_000)}`),
  ),
  'robots-cut.test': robots('a rule that the limit of 500 KiB cuts in two', text(cutAtLimit())),
  'robots-endless.test': robots(
    'rules without end',
    endless(ok(), `${RULES}${'Disallow: /more\n'.repeat(100)}`),
  ),
  'robots-utf-16.test': robots('UTF-16 with a mark', text(Buffer.from(`\ufeff${RULES}`, 'utf16le'))),
  'robots-bom.test': robots('a byte order mark before the first line', text(`\ufeff${RULES}`)),
  'robots-partial-bom.test': robots(
    'two of the three bytes of a byte order mark',
    text(Buffer.concat([Buffer.of(0xef, 0xbb), Buffer.from(RULES)])),
  ),
  'robots-cr.test': robots('lines that end in CR alone', text(RULES.replaceAll('\n', '\r'))),
  'robots-no-newline.test': robots('no line end after the last rule', text(RULES.trimEnd())),
  'robots-nul.test': robots('NULs between the lines', text(RULES.replaceAll('\n', '\0\n\0\n'))),
  'robots-groups.test': robots(
    '10,000 groups before ours',
    text(() => `${groups(10_000)}${RULES}`),
  ),
  'robots-no-group.test': robots(
    'a rule before any group',
    text(`Disallow: /private\n${RULES.replace('private', 'other')}`),
  ),
  'robots-slow.test': robots('a Crawl-delay of 10^9 seconds', text(`${RULES}Crawl-delay: 1e9\n`)),
  'robots-other-delay.test': robots(
    'a group with nothing but a Crawl-delay before ours',
    text(`User-agent: SemrushBot\nCrawl-delay: 60\n\n${RULES}`),
  ),
  'robots-wildcards.test': robots(
    'as many wildcard rules as fit, each a piece of every path',
    text(() => `${RULES}${Array.from({ length: 40_000 }, (_, i) => `Allow:/*pr${i}\n`).join('')}`),
  ),
  'robots-stars.test': robots(
    '10,000 stars in a pattern',
    text(`User-agent: *\nDisallow: /${'*a'.repeat(10_000)}$\n`),
  ),
  'robots-bomb.test': robots('64 MB in 64 KB of gzip', (exchange) =>
    exchange.reply({
      headers: { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' },
      body: bombs.gzip(),
    }),
  ),
  'robots-moved.test': robots('a redirect to another host', (exchange) =>
    to(`http://robots-good.test:${exchange.request.port}/robots.txt`)(exchange),
  ),
  'robots-loop.test': robots('a redirect to itself', to('/robots.txt')),
  'robots-private.test': robots('a redirect into a private network', to('http://10.0.0.1/robots.txt')),
  'robots-malformed.test': robots('no HTTP', raw('Disallow: /')),
}

function robots(about: string, response: Response) {
  const site: Response = (exchange) =>
    exchange.request.path === '/robots.txt' ? response(exchange) : page('<title>a page</title>')(exchange)
  return route([61], `robots.txt: ${about}`, site)
}

function text(body: string | Uint8Array | (() => string)): Response {
  return (exchange) =>
    exchange.reply({
      headers: { 'Content-Type': 'text/plain' },
      body: typeof body === 'function' ? body() : body,
    })
}

function to(location: string): Response {
  return reply({ status: 302, headers: { Location: location } })
}

/** `Disallow: /private` is cut after `/p`: read to the end it would forbid everything that starts with p. */
function cutAtLimit(): string {
  const head = 'User-agent: *\nDisallow: /private\n'
  const last = 'Disallow: /p'
  const filler = '#'.repeat(500 * 1024 - head.length - last.length - 1)
  return `${head}${filler}\n${last}rivate-too\n`
}

function groups(count: number): string {
  return Array.from({ length: count }, (_, i) => `User-agent: bot${i}\nDisallow: /\n`).join('')
}
