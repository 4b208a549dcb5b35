import { formatNumber, printableLine } from '../base/format-values.ts'
import type { CheckDocument, FetchPart, PagePart, RobotsPart } from './check-document.ts'
import { aiUseLines } from './report-texts.ts'

/** The JSON document as text: a label and a line for each step, without control characters. */
export function checkReport(document: CheckDocument): string {
  const lines = [...(document.via ?? []).flatMap((hop) => [...hopLines(hop), '']), ...hopLines(document)]
  return `${lines.join('\n')}\n`
}

function hopLines({ input, url, rejected, filter, robots, fetch, page, aiUse }: CheckDocument): string[] {
  if (url === undefined)
    return [line('url', `${printableLine(input)} is rejected: ${printableLine(rejected?.detail ?? '')}`)]
  return [
    line('url', printableLine(url, 2_000)),
    ...(filter
      ? [line('filter', `${filter.accepted ? 'accepted' : 'rejected'} by ${printableLine(filter.rule)}`)]
      : []),
    ...(robots ? robotsLines(robots) : []),
    ...(fetch ? fetchLines(fetch) : [line('fetch', 'not sent')]),
    ...(page ? pageLines(page) : []),
    ...aiUseLines(aiUse?.statements ?? []).map((text, i) => (i === 0 ? line('ai-use', text) : more(text))),
  ]
}

function robotsLines({ allowed, reason, retryAt, crawlDelaySeconds, sitemaps, usage }: RobotsPart): string[] {
  const verdict = allowed ? 'allowed' : retryAt === undefined ? 'disallowed' : 'try later'
  return [
    line('robots', `${verdict}: ${printableLine(reason)}`),
    ...(crawlDelaySeconds === undefined ? [] : [more(`crawl-delay ${crawlDelaySeconds} s`)]),
    ...list('sitemap', sitemaps),
    ...usage.map((text) => more(printableLine(text))),
  ]
}

function fetchLines(fetch: FetchPart): string[] {
  const { outcome, status, cause, detail, redirectTo, permanent, retryAt, address, protocol } = fetch
  const head = [status, cause, protocol, address].filter((part) => part !== undefined && part !== '')
  return [
    line('fetch', [outcome, ...head].join(' · ')),
    ...(detail === undefined ? [] : [more(printableLine(detail))]),
    ...(redirectTo === undefined
      ? []
      : [more(`${permanent ? 'permanent' : 'temporary'} redirect to ${printableLine(redirectTo, 2_000)}`)]),
    ...(retryAt === undefined ? [] : [more(`retry after ${retryAt}`)]),
    more(timingText(fetch)),
    ...(fetch.bytes === undefined ? [] : [more(sizeText(fetch))]),
    line('nutch', `${fetch.protocolStatus}, ${fetch.fetchStatus}`),
  ]
}

function timingText({ timings }: FetchPart): string {
  const phases = [
    ['dns', timings.dnsMs],
    ['connect', timings.connectMs],
    ['headers', timings.headersMs],
    ['total', timings.totalMs],
  ] as const
  return phases.flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${ms} ms`])).join(' · ')
}

function sizeText({ wireBytes = 0, bytes = 0, decoded = [], truncated }: FetchPart): string {
  const coding = decoded.length === 0 ? '' : `, ${formatNumber(bytes)} decoded (${decoded.join(', ')})`
  return `${formatNumber(wireBytes)} bytes${coding}${truncated === undefined ? '' : `, truncated: ${truncated}`}`
}

function pageLines(page: PagePart): string[] {
  const { status, detail, type, declaredType, charset, charsetSource, language, title, description, text } =
    page
  const kind = [
    type,
    ...(declaredType !== undefined && declaredType !== type
      ? [`declared as ${printableLine(declaredType)}`]
      : []),
    ...(charset === undefined ? [] : [`${charset} (${charsetSource})`]),
    ...(language === undefined ? [] : [printableLine(language)]),
    ...(page.truncated ? ['truncated'] : []),
  ]
  return [
    line('page', kind.join(' · ')),
    ...(status === 'parsed' ? [] : [more(`${status}: ${printableLine(detail ?? page.reason ?? '')}`)]),
    ...(title === '' ? [] : [line('title', printableLine(title))]),
    ...(description === undefined ? [] : [line('about', printableLine(description))]),
    ...(text.characters === 0
      ? []
      : [line('text', `${formatNumber(text.characters)} characters: ${printableLine(text.beginning, 120)}`)]),
    ...page.directives.sources.map(({ text: said, from, agent }) =>
      line('directive', `${printableLine(said)} (${from}, for ${printableLine(agent)})`),
    ),
    ...(page.canonical === undefined ? [] : [line('canonical', printableLine(page.canonical.url, 2_000))]),
    ...(page.refresh === undefined
      ? []
      : [line('refresh', `after ${page.refresh.seconds} s to ${printableLine(page.refresh.url, 2_000)}`)]),
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
    `${formatNumber(links.count)}${followable ? '' : ', nofollow'}`,
    ...(rejected.length === 0 ? [] : [`rejected: ${rejected.join(', ')}`]),
    ...(links.first.length < links.count ? [`the first ${links.first.length}`] : []),
  ]
  const first = links.first.map(({ url, anchor, rel }) => {
    const about = [
      anchor === '' ? '' : `“${printableLine(anchor, 60)}”`,
      ...rel.map((word) => printableLine(word, 30)),
    ].filter(Boolean)
    return more([printableLine(url, 2_000), ...about].join('  '))
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
  const first = values.slice(0, most).map((value) => line(label, printableLine(value, 2_000)))
  return values.length > most ? [...first, more(`and ${formatNumber(values.length - most)} more`)] : first
}
