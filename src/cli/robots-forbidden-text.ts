import { formatCount } from './format-values.ts'

/** The line of a summary about sites whose robots.txt returned 401 or 403; none without such a site. */
export function robotsForbiddenText(sites: number): string[] {
  if (sites === 0) return []
  return [
    `robots.txt of ${formatCount(sites, 'site')} returned 401 or 403: no rules, so allowed, unless robots.denyOnForbidden is set`,
  ]
}
