import { isSessionParameter, normalizeEscapes } from './normalize-path.ts'

export interface QueryOptions {
  /** Put the parameters in the order of their text. Some sites give order a meaning. @default false */
  readonly sortQuery?: boolean
  /** Drop `utm_source`, `gclid`, `fbclid` and the like. @default false */
  readonly removeTrackingParameters?: boolean
}

export interface QueryRules extends QueryOptions {
  readonly removeSessionIds: boolean
}

/** The normal form of a query, both without the `?`; empty when nothing is left of it. */
export function normalizeQuery(query: string, rules: QueryRules): string {
  if (query === '') return ''
  const parameters: string[] = []
  for (const part of normalizeEscapes(query).split('&')) {
    const kept = withoutUnwanted(part, rules)
    if (kept !== '') parameters.push(kept)
  }
  if (rules.sortQuery === true) parameters.sort()
  return parameters.join('&')
}

/** Between two `&` there may be several parameters with `;` between them, as old servlets wrote them. */
function withoutUnwanted(part: string, rules: QueryRules): string {
  if (!part.includes(';')) return isUnwanted(part, rules) ? '' : part
  const pieces = part.split(';')
  const kept = pieces.filter((piece) => !isUnwanted(piece, rules))
  return kept.length === pieces.length ? part : kept.join(';')
}

function isUnwanted(parameter: string, rules: QueryRules): boolean {
  return (
    (rules.removeSessionIds && isSessionParameter(parameter)) ||
    (rules.removeTrackingParameters === true && isTrackingParameter(parameter))
  )
}

/** Names that only tell a site where its visitor came from, in lower case. The page is the same without them. */
const NAMES = new Set([
  // Advertisement clicks: Google, Meta, Microsoft, X, LinkedIn, TikTok, Yandex, Pinterest, Reddit, Snapchat, Impact
  ...'dclid epik fbclid gad_campaignid gad_source gbraid gclid gclsrc irclickid li_fat_id'.split(' '),
  ...'msclkid rdt_cid sccid srsltid ttclid twclid wbraid yclid ysclid'.split(' '),
  // Newsletters and shares: Mailchimp, HubSpot, Klaviyo, Marketo, Drip, Vero, Openstat, Instagram, YouTube
  ...'__hsfp __hssc __hstc __s _hsenc _hsmi _kx _openstat hsctatracking igsh igshid'.split(' '),
  ...'mc_cid mc_eid mkt_tok oly_anon_id oly_enc_id vero_conv vero_id'.split(' '),
  // Analytics linkers: Google, Adobe
  ...'_ga _gl s_cid'.split(' '),
])

/** Families: Urchin and Google, Matomo (old and new name), its campaign names, HubSpot ads. */
const PREFIXES = ['utm_', 'mtm_', 'pk_', 'piwik_', 'matomo_', 'hsa_']

/** Whether `name=value` (or a bare `name`) is there for tracking only. */
function isTrackingParameter(parameter: string): boolean {
  const end = parameter.indexOf('=')
  const name = (end === -1 ? parameter : parameter.slice(0, end)).toLowerCase()
  return NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix))
}
