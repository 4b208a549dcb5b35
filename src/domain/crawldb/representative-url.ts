import { getDomain } from 'tldts'

/**
 * Which URL of a redirect from `source` to `target` people should see: usually the target, but the root of a site stands for
 * the page it redirects to, and a temporary redirect keeps the simpler of the two.
 */
export function representativeUrl(source: string, target: string, permanent: boolean): string {
  const from = URL.parse(source)
  const to = URL.parse(target)
  if (from === null || to === null || !sameDomain(from.hostname, to.hostname)) return target
  if (permanent) return isRoot(from) ? source : target
  return keepsSource(from, to) ? source : target
}

function keepsSource(from: URL, to: URL): boolean {
  if (isRoot(from) !== isRoot(to)) return isRoot(from)
  const simpler =
    !isRoot(from) && from.hostname === to.hostname
      ? segments(from) - segments(to) || pathLength(from) - pathLength(to)
      : labels(from) - labels(to)
  return simpler <= 0
}

function sameDomain(a: string, b: string): boolean {
  return a === b || (getDomain(a) ?? a) === (getDomain(b) ?? b)
}

function isRoot(url: URL): boolean {
  return (url.pathname === '/' || url.pathname === '') && url.search === ''
}

function segments(url: URL): number {
  return url.pathname.split('/').filter((part) => part !== '').length
}

function pathLength(url: URL): number {
  return url.pathname.length + url.search.length
}

function labels(url: URL): number {
  return url.hostname.split('.').length
}
