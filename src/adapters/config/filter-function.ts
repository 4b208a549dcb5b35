import type { CandidateUrl } from '../../domain/url/candidate-url.ts'
import type { FilterVerdict, UrlFilter } from '../../domain/url/url-filter.ts'

/** A URL filter in its shortest form: yes, no, a verdict with a rule, or no opinion. */
export type FilterFunction = (url: CandidateUrl) => boolean | FilterVerdict | undefined

/** @param name names it in verdicts that are plain yes or no, unless the function has a name of its own */
export function filterFromFunction(judge: FilterFunction, name: string): UrlFilter {
  const shown = judge.name === '' ? name : judge.name
  return {
    name: shown,
    judge(url) {
      const verdict = judge(url)
      return typeof verdict === 'boolean' ? { accepted: verdict, rule: `filter ${shown}` } : verdict
    },
  }
}
