import { HostMap } from './host-map.ts'
import { hostOf } from './host-of.ts'
import type { NormalizedUrl, UrlNormalizer } from './normalize-url.ts'

/**
 * A rule that changes URLs after they were normalized: returns the URL to use instead, the same URL, or `undefined` to reject it. It must
 * depend on the URL alone.
 */
export type UrlRewrite = (url: string) => string | undefined

/** How often the rules are applied to one URL, so that rules that undo each other end. */
const MAX_PASSES = 10

/**
 * A normalizer that applies `rewrites`, in order, to each normalized URL, until nothing changes. So its results are normal forms, too. URLs
 * that never settle are rejected.
 * @example
 * const normalize = rewritingNormalizer(normalizeUrl, [(url) => url.replace('/index.html', '/')])
 * normalize('https://example.org/index.html') // → { ok: true, url: 'https://example.org/' }
 */
export function rewritingNormalizer(
  normalize: UrlNormalizer,
  rewrites: readonly UrlRewrite[],
): UrlNormalizer {
  if (rewrites.length === 0) return normalize
  return (url, base) => {
    let current = normalize(url, base)
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      if (!current.ok) return current
      const rewritten = rewriteOnce(current.url, rewrites)
      if (rewritten === current.url) return current
      if (rewritten === undefined) return rejected('a rule of the section normalizer rejects it')
      current = normalize(rewritten)
    }
    return rejected(`the rules of the section normalizer still change it after ${MAX_PASSES} passes`)
  }
}

function rewriteOnce(url: string, rewrites: readonly UrlRewrite[]): string | undefined {
  let current: string | undefined = url
  for (const rewrite of rewrites) {
    if (current === undefined) return undefined
    current = rewrite(current)
  }
  return current
}

function rejected(detail: string): NormalizedUrl {
  return { ok: false, reason: 'rewrite', detail }
}

/** Pairs of a host name and a value. `*.example.org` is not a host name: name each host. */
export type HostEntries<Value> = Iterable<readonly [string, Value]>

/**
 * Replaces hosts (Nutch: urlnormalizer-host). The port is kept.
 * @param where names the source in messages, here and below
 * @throws ConfigurationError for an entry that is not a host name, here and below
 * @example
 * const rewrite = hostRewrite([['www.example.org', 'example.org']], 'my rules')
 * rewrite('https://www.example.org/a') // → 'https://example.org/a'
 */
export function hostRewrite(entries: HostEntries<string>, where: string): UrlRewrite {
  const targets = new HostMap(entries, where)
  return (url) => {
    const host = hostOf(url)
    const target = targets.get(host)
    if (target === undefined) return url
    const start = url.indexOf('//') + 2
    return `${url.slice(0, start)}${target}${url.slice(start + host.length)}`
  }
}

/**
 * Sets the scheme of URLs without a port (Nutch: urlnormalizer-protocol). `*.example.com` stands for `example.com`, too.
 * @example
 * const rewrite = protocolRewrite([['example.org', 'https']], 'my rules')
 * rewrite('http://example.org/a') // → 'https://example.org/a'
 */
export function protocolRewrite(entries: HostEntries<'http' | 'https'>, where: string): UrlRewrite {
  const list = [...entries]
  const named = new Set(list.map(([pattern]) => pattern))
  const parents = list.flatMap(([pattern, scheme]) =>
    pattern.startsWith('*.') && !named.has(pattern.slice(2)) ? [[pattern.slice(2), scheme] as const] : [],
  )
  const schemes = new HostMap([...list, ...parents], where)
  return (url) => {
    const host = hostOf(url)
    const scheme = schemes.get(host)
    if (scheme === undefined) return url
    const afterScheme = url.slice(url.indexOf('//'))
    return afterScheme.charAt(2 + host.length) === ':' ? url : `${scheme}:${afterScheme}`
  }
}

/**
 * Adds or removes the `/` at the end of paths, by host (Nutch: urlnormalizer-slash). A path that ends like a file name gets none.
 * @example
 * const rewrite = slashRewrite([['example.org', 'add']], 'my rules')
 * rewrite('https://example.org/docs') // → 'https://example.org/docs/'
 */
export function slashRewrite(entries: HostEntries<'add' | 'remove'>, where: string): UrlRewrite {
  const rules = new HostMap(entries, where)
  return (url) => {
    const rule = rules.get(hostOf(url))
    if (rule === undefined) return url
    const pathStart = url.indexOf('/', url.indexOf('//') + 2)
    const query = url.indexOf('?', pathStart)
    const pathEnd = query === -1 ? url.length : query
    const path = url.slice(pathStart, pathEnd)
    return url.slice(0, pathStart) + changeSlash(path, rule) + url.slice(pathEnd)
  }
}

function changeSlash(path: string, rule: 'add' | 'remove'): string {
  if (path.length < 2) return path
  if (path.endsWith('/')) return rule === 'remove' ? path.slice(0, -1) : path
  return rule === 'add' && !endsLikeFile(path) ? `${path}/` : path
}

/** As in Nutch: a dot among the last six characters. */
function endsLikeFile(path: string): boolean {
  return path.length >= 6 && path.lastIndexOf('.') >= path.length - 6
}
