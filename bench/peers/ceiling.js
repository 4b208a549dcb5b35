/**
 * The ceiling: nothing but asking, a regular expression for links and a Set. No robots.txt is read (what it forbids is known beforehand), no page is decoded
 * by its declared charset, nothing is written. `node ceiling.js <start URL> <in flight> <per host>`
 */
import { Agent } from 'undici'

const [start, inFlight, perHost] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const agent = new Agent({ connections: perHost, pipelining: 1 })
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
  const { origin, pathname } = new URL(url)
  const { statusCode, headers, body } = await agent.request({ origin, path: pathname, method: 'GET' })
  const text = await body.text()
  if (statusCode === 200) {
    pages.add(url)
    for (const [, href] of text.matchAll(/<a\s[^>]*href="([^"#]+)/g)) follow(href, url)
  } else if (headers.location !== undefined) follow(headers.location, url)
  active--
  pump()
}

function follow(href, base) {
  const url = new URL(href, base).href
  if (seen.has(url) || url.includes('/private/')) return
  seen.add(url)
  queue.push(url)
}

pump()
