import { words } from './chance.ts'
import { type Link, link, type Resource } from './resource.ts'

/** A corner of a site, with one kind of difficulty: its resources by path, and the links that lead into it. */
export interface Corner {
  readonly entries: readonly Link[]
  readonly resources: Readonly<Record<string, Resource>>
}

export interface CornerPlace {
  /** `http://127.0.1.1:8080`. */
  readonly origin: string
  /** Of another site of this web. */
  readonly neighbour: string
  /** Of a site that no seed is on. */
  readonly outside: string
  readonly seed: number
  /** The year it is: dates more than three years ahead are a trap. */
  readonly year: number
}

/** All corners. Each says by rule which of its links a crawler with the default rules follows. */
export function corners(place: CornerPlace): Corner[] {
  return [errors, redirects, circles, traps, facets, hidden, sitemap, duplicates].map((corner) =>
    corner(place),
  )
}

function errors({ origin }: CornerPlace): Corner {
  const resources: Record<string, Resource> = {
    '/missing': { kind: 'error', status: 404 },
    '/gone': { kind: 'error', status: 410 },
    '/members': { kind: 'error', status: 401 },
    '/broken': { kind: 'error', status: 500 },
    '/busy': { kind: 'error', status: 503, retryAfterSeconds: 1 },
    '/hang-up': { kind: 'hang-up' },
  }
  return { entries: Object.keys(resources).map((path) => link(origin + path)), resources }
}

/** Permanent and temporary, to other hosts, in a chain longer than the limit, and to disallowed URLs. */
function redirects(place: CornerPlace): Corner {
  const { origin, neighbour, outside } = place
  const hops = 8
  const chain = Array.from({ length: hops }, (_, i): [string, Resource] => [
    `/hop/${i}`,
    { kind: 'redirect', status: i % 2 === 0 ? 301 : 302, to: link(`${origin}/hop/${i + 1}`) },
  ])
  const resources: Record<string, Resource> = {
    ...Object.fromEntries(chain),
    [`/hop/${hops}`]: page(place, hops),
    '/moved': { kind: 'redirect', status: 308, to: link(`${origin}/moved-here`) },
    '/moved-here': page(place, 20),
    '/away': { kind: 'redirect', status: 307, to: link(`${neighbour}/`) },
    '/home': { kind: 'redirect', status: 301, to: { href: '/', url: `${origin}/` } },
    '/out': { kind: 'redirect', status: 301, to: { href: `${outside}/` } },
    '/into-private': { kind: 'redirect', status: 302, to: link(`${origin}/private/by-redirect`) },
    '/into-session': {
      kind: 'redirect',
      status: 302,
      to: { href: '/moved-here?PHPSESSID=0123', url: `${origin}/moved-here` },
    },
    '/refresh': { ...page(place, 21), refresh: link(`${origin}/refreshed`) },
    '/refreshed': page(place, 22),
  }
  const entries = ['/hop/0', '/moved', '/away', '/home', '/out', '/into-private', '/into-session', '/refresh']
  return { entries: entries.map((path) => link(origin + path)), resources }
}

function circles({ origin }: CornerPlace): Corner {
  const redirect = (path: string, circle = false): Resource => ({
    kind: 'redirect',
    status: 302,
    to: link(origin + path),
    circle,
  })
  return {
    entries: ['/circle/a', '/self'].map((path) => link(origin + path)),
    resources: {
      '/circle/a': redirect('/circle/b'),
      '/circle/b': redirect('/circle/c'),
      '/circle/c': redirect('/circle/a', true),
      '/self': redirect('/self', true),
    },
  }
}

/** Endless, but for rules that see it: a calendar, segments that come round again, paths that only grow. */
function traps(place: CornerPlace): Corner {
  const { origin, year } = place
  const resources: Record<string, Resource> = {}
  for (let ahead = 0; ahead <= 3; ahead++) {
    const [now, next] = [`/calendar/${year + ahead}/06/15`, `/calendar/${year + ahead + 1}/06/15`]
    resources[now] = page(place, 30 + ahead, [ahead < 3 ? link(origin + next) : { href: next }])
  }
  resources['/round/a/'] = page(place, 40, [{ href: 'a/', url: `${origin}/round/a/a/` }])
  resources['/round/a/a/'] = page(place, 41, [{ href: 'a/' }])
  // Twenty segments are the most.
  const deep = `/${Array.from({ length: 16 }, (_, i) => `s${i}`).join('/')}`
  let path = deep
  for (let segments = 16; segments <= 20; segments++) {
    const longer = `${path}/s${segments}`
    resources[path] = page(place, 50 + segments, [segments < 20 ? link(origin + longer) : { href: longer }])
    path = longer
  }
  const entries = [`/calendar/${year}/06/15`, '/round/a/', deep]
  return { entries: entries.map((entry) => link(origin + entry)), resources }
}

/** Parameters that pile up: six of one name are the most. */
function facets(place: CornerPlace): Corner {
  const { origin } = place
  const resources: Record<string, Resource> = {}
  let path = '/shop?f=0'
  for (let more = 1; more <= 6; more++) {
    const narrower = `${path}&f=${more}`
    resources[path] = page(place, 80 + more, [more < 6 ? link(origin + narrower) : { href: narrower }])
    path = narrower
  }
  return { entries: [link(`${origin}/shop?f=0`)], resources }
}

/** URLs that a polite crawler must not request and must not store, and URLs that it may store but not request. */
function hidden(place: CornerPlace): Corner {
  const { origin, outside } = place
  const secret = (name: string): Link => ({ href: `/hidden/${name}` })
  const resources: Record<string, Resource> = {
    '/nofollow-meta': {
      ...page(place, 100, [secret('behind-meta')]),
      directive: { from: 'meta', value: 'nofollow' },
    },
    '/nofollow-header': {
      ...page(place, 101, [secret('behind-header')]),
      directive: { from: 'header', value: 'nofollow' },
    },
    '/noindex': {
      ...page(place, 102, [link(`${origin}/behind-noindex`)]),
      directive: { from: 'meta', value: 'noindex' },
    },
    '/behind-noindex': page(place, 103),
    '/private/open': page(place, 104),
    '/private/closed': page(place, 105, [secret('behind-robots')]),
    '/private/by-redirect': page(place, 106, [secret('behind-redirect')]),
    '/script.cgi': page(place, 107),
    '/script.cgi.html': page(place, 108),
  }
  for (const name of ['rel', 'behind-meta', 'behind-header', 'behind-robots', 'behind-redirect'])
    resources[`/hidden/${name}`] = page(place, 110)
  return {
    entries: [
      ...Object.keys(resources)
        .filter((path) => !path.startsWith('/hidden/') && !/behind|by-redirect/.test(path))
        .map((path) => link(origin + path)),
      { ...secret('rel'), rel: 'nofollow' },
      { href: `${outside}/p/1` },
      { href: 'https://example.invalid/' },
      { href: '/picture.PNG' },
      { href: '/style.css?v=2' },
      { href: '/p/1?replytocom=5' },
      { href: 'mailto:info@example.invalid' },
      { href: 'javascript:void(0)' },
      { href: 'tel:+1' },
    ],
    resources,
  }
}

/** Pages that only a sitemap leads to. */
function sitemap(place: CornerPlace): Corner {
  const { origin } = place
  const paths = ['/mapped/1', '/mapped/2', '/mapped/3']
  return {
    entries: [link(`${origin}/sitemap.xml`)],
    resources: {
      '/sitemap.xml': { kind: 'sitemap', links: paths.map((path) => link(origin + path)) },
      ...Object.fromEntries(paths.map((path, i) => [path, page(place, 120 + i)])),
    },
  }
}

/** One text under several URLs. */
function duplicates(place: CornerPlace): Corner {
  const resources = Object.fromEntries(
    ['/copy', '/copy.html', '/copy?lang=en'].map((path) => [path, page(place, 130)]),
  )
  return { entries: Object.keys(resources).map((path) => link(place.origin + path)), resources }
}

function page(
  { seed }: CornerPlace,
  number: number,
  links: readonly Link[] = [],
): Resource & { kind: 'page' } {
  return { kind: 'page', text: words(30, seed, number), links, validator: 'etag', changes: false }
}
