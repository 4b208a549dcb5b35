/**
 * A bare loop: undici, one way to find links, and a Set. It does not read robots.txt (the paths that the synthetic web disallows are known) nor declared charsets, and writes nothing.
 * `node ceiling.js <start URL> <in flight> <per host> <scope> <parser: regexp or htmlparser2>`
 */
import { Parser } from 'htmlparser2'
import { Agent } from 'undici'

const [start, inFlight, perHost, scope, parser] = process.argv.slice(2)
const findLinks = { regexp: linksByRegexp, htmlparser2: linksByParser }[parser]
const within = scope === 'host' ? `${new URL(start).origin}/` : 'http'
const agent = new Agent({ connections: Number(perHost), pipelining: 1 })
const seen = new Set([start])
const queue = [start]
const pages = new Set()
let active = 0

function pump() {
  while (active < inFlight && queue.length > 0) {
    active++
    void visit(queue.pop())
  }
  if (active > 0) return
  console.log(JSON.stringify({ pages: pages.size }))
  void agent.close()
}

async function visit(url) {
  const { origin, pathname, search } = new URL(url)
  const { statusCode, headers, body } = await agent.request({
    origin,
    path: pathname + search,
    method: 'GET',
  })
  const text = await body.text()
  if (statusCode === 200) {
    pages.add(url)
    if (/html/.test(headers['content-type'])) for (const href of findLinks(text)) follow(href, url)
  } else if (headers.location !== undefined) follow(headers.location, url)
  active--
  pump()
}

function* linksByRegexp(html) {
  for (const [, href] of html.matchAll(/<a\s[^>]*?href\s*=\s*["']?([^"'#>\s]+)/gi))
    yield href.replaceAll('&amp;', '&')
}

function linksByParser(html) {
  const links = []
  new Parser({ onopentag: (tag, { href }) => tag === 'a' && href && links.push(href) }).end(html)
  return links
}

function follow(href, base) {
  const url = URL.parse(href, base)?.href.replace(/#.*/, '')
  if (url === undefined || seen.has(url) || !url.startsWith(within) || url.includes('/private/')) return
  seen.add(url)
  queue.push(url)
}

pump()
