import { createHash } from 'node:crypto'
import { formatBytes, formatCount, formatDuration, formatNumber } from '../base/format-values.ts'
import type {
  Certificate,
  CertifiedCrawler,
  CertifiedRobots,
  HostCertificate,
  RobotsDecisionCount,
  Violation,
} from '../domain/certificate/certificate.ts'
import { CERTIFICATE_STYLE } from './certificate-style.ts'
import { relevantGaps, requiredDelayMs } from './certificate-text.ts'

/**
 * The certificate as one HTML file for the owner of a site: without scripts, links and external resources, so that nothing in it can be
 * followed or loaded. Host names, URLs and robots.txt lines come from strangers: all text goes through `text`.
 */
export function certificateHtml(certificate: Certificate): string {
  const { summary, violations, requests, hosts, unlistedHosts, software, createdAt } = certificate
  const styleHash = createHash('sha256').update(CERTIFICATE_STYLE).digest('base64')
  const title =
    hosts.length === 1 && hosts[0] !== undefined
      ? `Politeness certificate for ${hosts[0].host}`
      : 'Politeness certificate'
  const isBad = violations > 0
  const detailed = hosts.slice(0, MAX_DETAILED)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${CERTIFICATE_STYLE}</style>
</head>
<body>
<header>
<h1>${text(title)}</h1>
<p class="verdict${isBad ? ' bad' : ''}">${text(summary)}</p>
${explanation(certificate)}
</header>
<main>
${notesOf(certificate)}
${requests === 0 ? '' : crawlerSection(certificate)}
${hosts.length > 1 ? hostTable(certificate) : ''}
${detailed.map((host) => hostSection(host, hosts.length > 1)).join('\n')}
${hosts.length > detailed.length || unlistedHosts > 0 ? `<p class="quiet">The details of ${formatCount(hosts.length - detailed.length + unlistedHosts, 'more host')} are left out.</p>` : ''}
</main>
<footer>
<p>Created on ${time(createdAt)} by ${text(software)} from the request log of the crawl. The crawler writes this log itself: compare it with the access log of
the web server. All times are in UTC.</p>
</footer>
</body>
</html>
`
}

const MAX_DETAILED = 50
const MAX_ROWS = 20

function explanation({ requests, violations }: Certificate): string {
  if (requests === 0) return ''
  const rules =
    'Every request was checked against the robots.txt file that was in force at its time, the delays between requests, the waiting times that the server requested (Retry-After), and the number of requests at the same time.'
  const found =
    violations === 0 ? 'All requests kept these rules.' : 'The requests that broke a rule are listed in red.'
  return `<p>A web crawler is a program that reads web pages automatically. This report shows how one behaved. ${rules} ${found}</p>`
}

function notesOf({ notes, isComplete }: Certificate): string {
  if (notes.length === 0) return ''
  const heading = isComplete ? 'Notes about the log' : 'The log is incomplete'
  const shown = notes.slice(0, MAX_ROWS).map(({ message }) => `<li>${text(message)}</li>`)
  const remaining =
    notes.length > MAX_ROWS ? `<li>${formatCount(notes.length - MAX_ROWS, 'more note')}</li>` : ''
  return `<section class="notes"><strong>${heading}</strong><ul>${shown.join('')}${remaining}</ul></section>`
}

function crawlerSection({ crawlers, firstAt = '', lastAt = '', selection }: Certificate): string {
  const { from, to, host } = selection
  const limited = [
    host && `requests to ${host}`,
    from && `from ${plainTime(from)}`,
    to && `before ${plainTime(to)}`,
  ].filter((part) => part !== undefined)
  return `<section><h2>Who crawled, and when</h2>${facts([
    ...crawlers.slice(0, 5).flatMap(crawlerFacts),
    ['First request', time(firstAt)],
    ['Last response', time(lastAt)],
    ...(limited.length > 0 ? [['Selection', text(`only ${limited.join(', ')}`)] as Fact] : []),
  ])}</section>`
}

function crawlerFacts({ userAgent, agent, contactUrl, email, software }: CertifiedCrawler): Fact[] {
  const contacts = [contactUrl, email].filter((contact) => contact !== undefined)
  return [
    ['Crawler (User-Agent)', `<code>${text(userAgent)}</code>`],
    [
      'Contact of the operator',
      contacts.length === 0 ? '<span class="quiet">not given</span>' : text(contacts.join(', ')),
    ],
    ['Name in robots.txt', `<code>${text(agent)}</code>`],
    ['Software', text(software)],
  ]
}

function hostTable({ hosts }: Certificate): string {
  const rows = hosts.slice(0, MAX_TABLE_HOSTS).map((host) => {
    const { gaps } = relevantGaps(host)
    return row([
      ['Host', text(host.host)],
      ['Requests', formatNumber(host.requests), 'number'],
      ['Required delay', formatDuration(requiredDelayMs(host)), 'number'],
      ['Smallest', gaps === undefined ? '–' : formatDuration(gaps.smallestMs), 'number'],
      ['Median', gaps === undefined ? '–' : formatDuration(gaps.medianMs), 'number'],
      ['At the same time', formatNumber(host.mostInFlight), 'number'],
      ['Violations', verdictOf(host.violationCount), 'number'],
    ])
  })
  return `<section><h2>Hosts</h2>${table(['Host', 'Requests', 'Required delay', 'Smallest', 'Median', 'At the same time', 'Violations'], rows, [1, 2, 3, 4, 5, 6])}</section>`
}

const MAX_TABLE_HOSTS = 1_000

function verdictOf(violations: number): string {
  return violations === 0
    ? '<span class="good">none</span>'
    : `<span class="bad">${formatNumber(violations)}</span>`
}

function hostSection(host: HostCertificate, hasTitle: boolean): string {
  return `<section>${hasTitle ? `<h2>${text(host.host)}</h2>` : '<h2>What was requested</h2>'}
${violationsOf(host)}
${facts([
  ['Violations', verdictOf(host.violationCount)],
  ['Requests', requestsText(host)],
  ['Time', `${time(host.firstAt)} to ${time(host.lastAt)}`],
  ...delayFacts(host),
  ['Requests at the same time', `at most ${formatNumber(host.mostInFlight)}${allowedText(host)}`],
  [
    'Busiest hour',
    `${formatCount(host.busiestHour.requests, 'request')} in the hour from ${time(host.busiestHour.at)}`,
  ],
  ['Responses', outcomesText(host)],
  ['Retry-After', retryAfterText(host)],
  ['Disallowed URLs', disallowedText(host)],
  ['Received', formatBytes(host.bytes)],
])}
${host.robots.length === 0 ? '' : `<h3>robots.txt</h3>${host.robots.map(robotsSection).join('\n')}`}
</section>`
}

function requestsText({
  requests,
  robotsRequests,
  sitemapRequests,
  assetRequests = 0,
  conditionalRequests,
  failedConnections,
}: HostCertificate): string {
  const parts = [
    `${formatNumber(robotsRequests)} for robots.txt`,
    ...(sitemapRequests > 0 ? [`${formatNumber(sitemapRequests)} for sitemaps`] : []),
    ...(assetRequests > 0
      ? [`${formatNumber(assetRequests)} for scripts and stylesheets, each sent with its page`]
      : []),
    ...(conditionalRequests > 0
      ? [`${formatNumber(conditionalRequests)} conditional (an unchanged page is not sent again)`]
      : []),
    ...(failedConnections > 0 ? [`${formatNumber(failedConnections)} without a connection`] : []),
  ]
  return `${formatNumber(requests)}, of these ${parts.join(', ')}`
}

function delayFacts(host: HostCertificate): Fact[] {
  const { gaps, what } = relevantGaps(host)
  const setBy =
    host.crawlDelayMs === undefined
      ? 'setting of the crawler; robots.txt has no Crawl-delay'
      : `Crawl-delay of robots.txt: ${formatDuration(host.crawlDelayMs)}`
  const required: Fact = [
    'Required delay',
    `${formatDuration(requiredDelayMs(host))} ${text(what)} (${setBy})`,
  ]
  if (gaps === undefined) return [required]
  return [
    required,
    [
      'Observed delay',
      `smallest ${formatDuration(gaps.smallestMs)}, median ${formatDuration(gaps.medianMs)}`,
    ],
  ]
}

function allowedText({ limits, crawlDelayMs }: HostCertificate): string {
  if (limits.length === 0) return ''
  const most = limits.reduce((largest, { maxInFlight }) => Math.max(largest, maxInFlight), 0)
  return ` (setting of the crawler: ${formatNumber(most)}${crawlDelayMs !== undefined && most > 1 ? ', with a Crawl-delay 1' : ''})`
}

function outcomesText({ outcomes }: HostCertificate): string {
  const all = Object.entries(outcomes)
  const shown = all.slice(0, MAX_ROWS).map(([outcome, count]) => `${formatNumber(count)} × ${text(outcome)}`)
  return `${shown.join(', ')}${all.length > MAX_ROWS ? ', …' : ''}`
}

function retryAfterText({ retryAfter }: HostCertificate): string {
  const { tooManyRequests, responses, obeyed, longestMs } = retryAfter
  const limited =
    tooManyRequests === 0
      ? ''
      : `${formatCount(tooManyRequests, 'response')} with status 429 (too many requests). `
  if (responses === 0) return `${limited}No response had a Retry-After.`
  const kept = `Obeyed ${formatNumber(obeyed)} of ${formatCount(responses, 'time')}; the longest wait was ${formatDuration(longestMs)}.`
  return `${limited}${obeyed === responses ? kept : `<span class="bad">${kept}</span>`}`
}

function disallowedText({ disallowedUrls, violations }: HostCertificate): string {
  const requested = violations.filter(({ rule }) => rule === 'robots-disallowed').length
  const skipped =
    disallowedUrls === 0 ? 'none was found' : `${formatCount(disallowedUrls, 'URL')} found and not requested`
  return requested === 0
    ? skipped
    : `${skipped}; <span class="bad">${formatNumber(requested)} requested</span>`
}

function robotsSection({
  origin,
  state,
  checkedAt,
  reason,
  hash,
  bytes,
  requests,
  decisions,
}: CertifiedRobots): string {
  const what = {
    file: `File of ${formatBytes(bytes ?? 0)}`,
    unavailable: 'There is no such file, so everything is allowed',
    denied: 'The server denies access to the file (401 or 403)',
    unreachable: 'Could not be fetched',
  }[state]
  const when = checkedAt === undefined ? '' : `, fetched ${time(checkedAt)}`
  const why = reason === undefined ? '' : ` (${text(reason)})`
  const sum =
    hash === undefined ? '' : ` <span class="quiet">SHA-256 <code>${text(hash.slice(0, 16))}…</code></span>`
  const head = `<p><code>${text(origin)}/robots.txt</code>: ${what}${why}${when}; in force for ${formatCount(requests, 'page request')}.${sum}</p>`
  if (decisions.length === 0) return head
  const rows = decisions.map((decision) => decisionRow(decision))
  return `${head}${table(['Line that decided', 'Decision', 'URLs', 'Example'], rows, [2])}`
}

function decisionRow({ line, text: source = '', allowed, urls, example }: RobotsDecisionCount): string {
  const decided =
    line === undefined
      ? '<span class="quiet">no line matches</span>'
      : `${formatNumber(line)}: <code>${text(source)}</code>`
  return row([
    ['Line', decided],
    ['Decision', allowed ? 'allowed' : 'disallowed', 'word'],
    ['URLs', formatNumber(urls), 'number'],
    ['Example', `<code>${text(shortened(example))}</code>`],
  ])
}

function violationsOf({ violations, violationCount }: HostCertificate): string {
  if (violationCount === 0) return ''
  const rows = violations.map((violation) => violationRow(violation))
  const remaining = violationCount - violations.length
  return `<div class="violations"><h3>${formatCount(violationCount, 'violation')}</h3>${table(['Time', 'Rule', 'What happened', 'URL'], rows, [])}${
    remaining > 0 ? `<p>${formatCount(remaining, 'more violation')} not listed.</p>` : ''
  }</div>`
}

function violationRow({ at, rule, message, url }: Violation): string {
  return row([
    ['Time', time(at), 'time'],
    ['Rule', text(rule), 'word bad'],
    ['What happened', text(message)],
    ['URL', `<code>${text(shortened(url))}</code>`],
  ])
}

/** A term and its description in HTML. */
type Fact = readonly [term: string, html: string]

function facts(list: readonly Fact[]): string {
  return `<dl>${list.map(([term, html]) => `<dt>${text(term)}</dt><dd>${html}</dd>`).join('')}</dl>`
}

type Cell = readonly [label: string, html: string, className?: string]

function row(cells: readonly Cell[]): string {
  const html = cells.map(
    ([label, content, className]) =>
      `<td data-label="${text(label)}"${className === undefined ? '' : ` class="${className}"`}>${content}</td>`,
  )
  return `<tr>${html.join('')}</tr>`
}

/** @param numbers the columns of numbers */
function table(headings: readonly string[], rows: readonly string[], numbers: readonly number[]): string {
  const head = headings.map(
    (heading, i) => `<th scope="col"${numbers.includes(i) ? ' class="number"' : ''}>${text(heading)}</th>`,
  )
  return `<div class="scroll"><table class="cards"><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function shortened(url: string): string {
  return url.length > MAX_URL_LENGTH ? `${url.slice(0, MAX_URL_LENGTH)}…` : url
}

const MAX_URL_LENGTH = 300

function time(iso: string): string {
  return `<time datetime="${text(iso)}">${text(plainTime(iso))}</time>`
}

function plainTime(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ')
}

/** Escapes text for HTML. Control and direction characters, which could change how the end of the line reads, are shown as a box. */
function text(value: string): string {
  return value
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
