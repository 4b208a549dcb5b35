import { Parser } from 'htmlparser2'
import { Agent, request } from 'undici'

/** How a URL was first found. */
export type FoundBy = 'seed' | 'a' | 'area' | 'frame' | 'iframe' | 'link' | 'refresh' | 'redirect'

export interface ListedUrl {
  readonly url: string
  readonly foundBy: FoundBy
  /** The page or redirect that led here. `''` for the seed. */
  readonly foundOn: string
  /** Every way to it leads over a link or page with `nofollow`. */
  readonly nofollow: boolean
  readonly httpStatus: number
  readonly contentType: string
}

const CONCURRENCY = 16

/**
 * Lists all URLs of one origin that can be reached from a seed, breadth first. It shares no code with the crawler, so
 * that the two can be compared: links by htmlparser2, URLs by the URL class, no filters, no limits, no normaliser.
 */
export async function breadthFirstList(seed: string): Promise<ReadonlyMap<string, ListedUrl>> {
  const { origin } = new URL(seed)
  const dispatcher = new Agent({ connections: CONCURRENCY })
  const listed = new Map<string, ListedUrl>()
  const seen = new Set([seed])
  /** Targets of nofollow links: listed when all others are. */
  const putOff: Found[] = []
  let level: Found[] = [{ url: seed, foundBy: 'seed', foundOn: '', nofollow: false }]
  while (level.length > 0) {
    const next: Found[] = []
    const add = (found: Found) => {
      if (found.nofollow && !level[0]?.nofollow) {
        putOff.push(found)
        return
      }
      if (seen.has(found.url)) return
      seen.add(found.url)
      next.push(found)
    }
    const waiting = level.values()
    const work = async () => {
      for (const found of waiting) {
        const { entry, targets } = await visit(found, dispatcher)
        listed.set(found.url, entry)
        for (const target of targets) if (target.url.startsWith(`${origin}/`)) add(target)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
    level = next
    if (level.length > 0) continue
    for (const found of putOff.splice(0)) {
      if (!seen.has(found.url)) level.push(found)
      seen.add(found.url)
    }
  }
  await dispatcher.close()
  return listed
}

type Found = Pick<ListedUrl, 'url' | 'foundBy' | 'foundOn' | 'nofollow'>

/** Requests a URL and reads its links. */
async function visit(found: Found, dispatcher: Agent): Promise<{ entry: ListedUrl; targets: Found[] }> {
  const { statusCode, headers, body } = await request(found.url, { dispatcher })
  const { location, 'content-type': contentType } = headers as Readonly<Record<string, string | undefined>>
  const entry = { ...found, httpStatus: statusCode, contentType: contentType ?? '' }
  const targets: Found[] = []
  const add = (href: string, base: string, foundBy: FoundBy, nofollow: boolean) => {
    const url = URL.parse(href, base)
    if (url === null) return
    url.hash = ''
    targets.push({ url: url.href, foundBy, foundOn: found.url, nofollow: found.nofollow || nofollow })
  }
  if (statusCode >= 300 && statusCode < 400 && location !== undefined)
    add(location, found.url, 'redirect', false)
  const bytes = Buffer.from(await body.arrayBuffer())
  if (statusCode !== 200 || !/^(text\/html|application\/xhtml)/.test(entry.contentType))
    return { entry, targets }
  const page = readLinks(decode(bytes, entry.contentType))
  const base = URL.parse(page.base ?? '', found.url)?.href ?? found.url
  for (const { foundBy, href, nofollow } of page.links) add(href, base, foundBy, page.nofollow || nofollow)
  return { entry, targets }
}

interface PageLinks {
  readonly links: Array<{ readonly foundBy: FoundBy; readonly href: string; readonly nofollow: boolean }>
  base?: string
  nofollow: boolean
}

function readLinks(html: string): PageLinks {
  const page: PageLinks = { links: [], nofollow: false }
  const parser = new Parser({
    onopentag(tag, { href, src, rel = '', name, content = '', 'http-equiv': pragma }) {
      const nofollow = /\bnofollow\b/i.test(rel)
      if ((tag === 'a' || tag === 'area') && href !== undefined)
        page.links.push({ foundBy: tag, href, nofollow })
      else if ((tag === 'frame' || tag === 'iframe') && src !== undefined)
        page.links.push({ foundBy: tag, href: src, nofollow })
      else if (tag === 'link' && href !== undefined && PAGE_RELATION.test(rel))
        page.links.push({ foundBy: tag, href, nofollow })
      else if (tag === 'base' && href !== undefined) page.base ??= href
      else if (tag === 'meta' && name?.toLowerCase() === 'robots')
        page.nofollow ||= /\b(nofollow|none)\b/i.test(content)
      else if (tag === 'meta' && pragma?.toLowerCase() === 'refresh') {
        const target = /url\s*=\s*["']?([^"']+)/i.exec(content)?.[1]
        if (target !== undefined) page.links.push({ foundBy: 'refresh', href: target.trim(), nofollow })
      }
    },
  })
  parser.end(html)
  return page
}

/** Relations of `<link>` elements that lead to pages. */
const PAGE_RELATION =
  /\b(alternate|canonical|chapter|contents|copyright|glossary|help|home|index|next|prev|start|toc|top|up)\b/i

function decode(bytes: Buffer, contentType: string): string {
  const label =
    /charset=["']?([\w-]+)/i.exec(contentType)?.[1] ??
    /charset=["']?([\w-]+)/i.exec(bytes.subarray(0, 8_192).toString('latin1'))?.[1] ??
    'utf-8'
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}
