import { normalizeEscapes } from './normalize-escapes.ts'
import { isSessionParameter } from './session-ids.ts'
import { isTrackingParameter } from './tracking-parameters.ts'

export interface QueryOptions {
  /** Put the parameters in the order of their text. Some sites give order a meaning. @default false */
  readonly sortQuery?: boolean
  /** Drop `utm_source`, `gclid`, `fbclid` and the like; the list is in tracking-parameters.ts. @default false */
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
