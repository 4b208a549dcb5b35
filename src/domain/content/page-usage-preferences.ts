import { withoutUndefined } from '../../base/without-undefined.ts'
import { type HeaderList, headerValues } from '../fetch/headers.ts'
import { readUsageStatements, type UsageStatement } from '../robots/usage-statement.ts'

/** A statement on what a page may be used for. It is only recorded; the absence of a statement means nothing. */
export interface PageUsagePreference extends UsageStatement {
  /** Its categories are those of the drafts for Content-Usage (`train-ai`, `search`, …), and `tdm` (text and data mining) of TDMRep. */
  readonly source: 'content-usage' | 'content-signal' | 'tdm-reservation'
  readonly from: 'header' | 'meta'
  /** URL of the conditions, as written; TDMRep only. */
  readonly policy?: string
}

/** Further statements of a page are dropped. */
const MAX_PREFERENCES = 50

/** The AI-use preferences in the headers and metas of one page, conflicting ones included. */
export function pageUsagePreferences(
  headers: HeaderList,
  metas: ReadonlyArray<{ readonly name: string; readonly content: string }>,
): PageUsagePreference[] {
  const named = (name: string) => [
    ...headerValues(headers, name).map((value) => ({ value, from: 'header' as const })),
    ...metas
      .filter((meta) => meta.name === name)
      .map(({ content: value }) => ({ value, from: 'meta' as const })),
  ]
  const policy = named('tdm-policy')[0]?.value
  const preferences = [
    ...headerValues(headers, 'content-usage').flatMap((value) => readUsage(value, 'content-usage')),
    ...headerValues(headers, 'content-signal').flatMap((value) => readUsage(value, 'content-signal')),
    ...named('tdm-reservation').flatMap(({ value, from }) => readReservation(value, from, policy)),
  ]
  return preferences.slice(0, MAX_PREFERENCES)
}

function readUsage(value: string, source: 'content-usage' | 'content-signal'): PageUsagePreference[] {
  return readUsageStatements(value).map((statement) => ({ ...statement, source, from: 'header' }))
}

function readReservation(
  value: string,
  from: 'header' | 'meta',
  policy: string | undefined,
): PageUsagePreference[] {
  const text = value.trim()
  if (text !== '0' && text !== '1') return []
  const preference = text === '1' ? 'disallow' : 'allow'
  return [
    { category: 'tdm', preference, source: 'tdm-reservation', from, text, ...withoutUndefined({ policy }) },
  ]
}
