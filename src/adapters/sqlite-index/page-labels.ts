import type { LabelField } from '../../domain/search/search-query.ts'
import { dateLabels } from './date-labels.ts'

/** The label of every page, the left operand of NOT. */
export const ANY_PAGE = 'page'

export interface LabelledPage {
  readonly url: string
  readonly host: string
  readonly type?: string
  readonly lang?: string
  /** Its date (ms since the epoch). */
  readonly date: number
}

/**
 * The labels of a page, as words of their own kind: of each site it belongs to (its host and every domain above it), each of its types
 * (`text/html`, `text`, `html`, and the ending of its URL), its languages (`pt-br`, `pt`), and the year, month and day of its date.
 */
export function pageLabels({ url, host, type, lang, date }: LabelledPage): string {
  const labels = [ANY_PAGE, ...sitesOf(host).map((site) => label('site', site)), ...dateLabels(date)]
  const ending = /\.([a-z][a-z0-9]{0,9})$/i.exec(url.replace(/[?#].*$/s, ''))?.[1]
  if (ending !== undefined) labels.push(label('type', ending.toLowerCase()))
  if (type !== undefined)
    for (const name of [type, ...type.split('/')]) labels.push(label('type', name.toLowerCase()))
  if (lang !== undefined)
    for (const tag of [lang, lang.split('-', 1).join()]) labels.push(label('lang', tag.toLowerCase()))
  return [...new Set(labels)].join(' ')
}

/** The label that a user means; `site` may be written as a URL. */
export function wantedLabel(field: LabelField, value: string): string {
  const wanted = value.trim().toLowerCase()
  return label(field, field === 'site' ? siteOf(wanted) : wanted)
}

/** One word for SQLite: letters and digits alone, and no two values the same. */
function label(field: LabelField, value: string): string {
  const escaped = value.replace(/[^a-wyz0-9]/gu, (character) => `x${character.codePointAt(0)?.toString(16)}x`)
  return `${field}${escaped}`
}

function sitesOf(host: string): string[] {
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) return [host]
  const names = host.split('.')
  return names.map((_, i) => names.slice(i).join('.'))
}

/** In the form that hosts of normalised URLs have. */
function siteOf(written: string): string {
  const name = written.replace(/^[a-z][a-z0-9+.-]*:\/\//, '').replace(/^\*?\./, '')
  const url = URL.parse(`http://${name}`)
  return url === null || url.hostname === '' ? name : url.hostname
}
