import type { CheckDocument, FetchPart, PagePart, RobotsPart } from './check-document.ts'
import { count, shown } from './shown.ts'

/** The same as the JSON document, for people: a label and a line for each step, and what a page can say made harmless. */
export function checkReport(document: CheckDocument): string {
  const lines = [...(document.via ?? []).flatMap((hop) => [...hopLines(hop), '']), ...hopLines(document)]
  return `${lines.join('\n')}\n`
}

function hopLines({ input, url, rejected, filter, robots, fetch, page }: CheckDocument): string[] {
  if (url === undefined) return [line('url', `${shown(input)} is rejected: ${shown(rejected?.detail ?? '')}`)]
  return [
    line('url', shown(url, 2_000)),
    ...(filter
      ? [line('filter', `${filter.accepted ? 'accepted' : 'rejected'} by ${shown(filter.rule)}`)]
      : []),
    ...(robots ? robotsLines(robots) : []),
    ...(fetch ? fetchLines(fetch) : [line('fetch', 'not asked')]),
    ...(page ? pageLines(page) : []),
  ]
}

function robotsLines({ allowed, reason, retryAt, crawlDelaySeconds, sitemaps, usage }: RobotsPart): string[] {
  const verdict = allowed ? 'allowed' : retryAt === undefined ? 'disallowed' : 'not now'
  return [
    line('robots', `${verdict}: ${shown(reason)}`),
    ...(crawlDelaySeconds === undefined ? [] : [more(`crawl-delay ${crawlDelaySeconds} s`)]),
    ...list('sitemap', sitemaps),
    ...usage.map((text) => more(shown(text))),
  ]
}

function fetchLines(fetch: FetchPart): string[] {
  const { outcome, status, cause, detail, redirectTo, permanent, retryAt, address, protocol } = fetch
  const head = [status, cause, protocol, address].filter((part) => part !== undefined && part !== '')
  return [
    line('fetch', [outcome, ...head].join(' · ')),
    ...(detail === undefined ? [] : [more(shown(detail))]),
    ...(redirectTo === undefined
      ? []
      : [more(`${permanent ? 'for good' : 'for now'} to ${shown(redirectTo, 2_000)}`)]),
    ...(retryAt === undefined ? [] : [more(`ask again at ${retryAt}`)]),
    more(timingText(fetch)),
    ...(fetch.bytes === undefined ? [] : [more(sizeText(fetch))]),
    line('nutch', `${fetch.protocolStatus}, ${fetch.fetchStatus}`),
  ]
}

function timingText({ timings }: FetchPart): string {
  const phases = [
    ['dns', timings.dnsMs],
    ['connect', timings.connectMs],
    ['head', timings.headersMs],
    ['all', timings.totalMs],
  ] as const
  return phases.flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${ms} ms`])).join(' · ')
}

function sizeText({ wireBytes = 0, bytes = 0, decoded = [], truncated }: FetchPart): string {
  const coding = decoded.length === 0 ? '' : `, ${count(bytes)} decoded (${decoded.join(', ')})`
  return `${count(wireBytes)} bytes${coding}${truncated === undefined ? '' : `, cut: ${truncated}`}`
}

function pageLines(page: PagePart): string[] {
  const { status, detail, type, declaredType, charset, charsetSource, language, title, description, text } =
    page
  const kind = [
    type,
    ...(declaredType !== undefined && declaredType !== type ? [`declared as ${shown(declaredType)}`] : []),
    ...(charset === undefined ? [] : [`${charset} (${charsetSource})`]),
    ...(language === undefined ? [] : [shown(language)]),
    ...(page.truncated ? ['cut by a limit'] : []),
  ]
  return [
    line('page', kind.join(' · ')),
    ...(status === 'parsed' ? [] : [more(`${status}: ${shown(detail ?? page.reason ?? '')}`)]),
    ...(title === '' ? [] : [line('title', shown(title))]),
    ...(description === undefined ? [] : [line('about', shown(description))]),
    ...(text.characters === 0
      ? []
      : [line('text', `${count(text.characters)} characters: ${shown(text.beginning, 120)}`)]),
    ...page.directives.sources.map(({ text: said, from, agent }) =>
      line('says', `${shown(said)} (${from}, to ${shown(agent)})`),
    ),
    ...(page.canonical === undefined ? [] : [line('canonical', shown(page.canonical.url, 2_000))]),
    ...(page.refresh === undefined
      ? []
      : [line('refresh', `after ${page.refresh.seconds} s to ${shown(page.refresh.url, 2_000)}`)]),
    ...list(
      'feed',
      page.feeds.map(({ url }) => url),
    ),
    ...(page.signatures.md5 === undefined ? [] : [line('signature', `${page.signatures.md5} (md5)`)]),
    ...linkLines(page),
  ]
}

function linkLines({ links, rejectedLinks, followable }: PagePart): string[] {
  const rejected = Object.entries(rejectedLinks).map(([reason, n]) => `${n} ${reason}`)
  const parts = [
    `${count(links.count)}${followable ? '' : ', not to be followed (nofollow)'}`,
    ...(rejected.length === 0 ? [] : [`rejected: ${rejected.join(', ')}`]),
    ...(links.first.length < links.count ? [`the first ${links.first.length}`] : []),
  ]
  const first = links.first.map(({ url, anchor, rel }) => {
    const about = [
      anchor === '' ? '' : `“${shown(anchor, 60)}”`,
      ...rel.map((word) => shown(word, 30)),
    ].filter(Boolean)
    return more([shown(url, 2_000), ...about].join('  '))
  })
  return [line('links', parts.join('; ')), ...first]
}

const LABEL_WIDTH = 11

function line(label: string, text: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${text}`
}

function more(text: string): string {
  return line('', text)
}

/** The first few of many. */
function list(label: string, values: readonly string[], most = 5): string[] {
  const first = values.slice(0, most).map((value) => line(label, shown(value, 2_000)))
  return values.length > most ? [...first, more(`and ${count(values.length - most)} more`)] : first
}
