import { withoutUndefined } from '../../base/without-undefined.ts'
import { type CandidateOrigin, CandidateUrl } from '../url/candidate-url.ts'
import { hostOf } from '../url/host-of.ts'
import { registeredDomain } from '../url/registered-domain.ts'
import { rememberVerdicts } from '../url/remember-verdicts.ts'
import type { DecidingFilter, FilterVerdict } from '../url/url-filter.ts'

/** Limits on the links of a page, in addition to the URL filters. */
export interface LinkLimits {
  /**
   * Links kept from one page: the first that pass everything else. Indexes of real sites have tens of thousands; the limit only
   * guards against pages that a program fills without end. @default 100000
   */
  readonly maxOutlinks?: number
  /** Longest link, in characters. @default 4096 */
  readonly maxLength?: number
  /** Drop links that stay on the page's own host. @default false */
  readonly ignoreInternal?: boolean
  /** Drop links, and redirects, that leave the page's host. @default false */
  readonly ignoreExternal?: boolean
  /** Links that it accepts are kept in spite of `ignoreExternal`. @default none */
  readonly exempt?: DecidingFilter
  /** What the last two compare: `domain` is the registered one. @default 'host' */
  readonly compare?: 'host' | 'domain'
}

/** `rule` names what rejected it. */
export type LinkVerdict =
  | { readonly kept: true; readonly internal: boolean }
  | { readonly kept: false; readonly rule: string }

/** The rule for links of a page to itself, which are not counted as drops. */
export const SELF_LINK = 'links: leads to the page itself'

/** Decides about the normalised link and redirect targets of one page. */
export type LinkJudge = (url: string) => LinkVerdict

export interface LinkPolicy {
  readonly maxOutlinks: number
  /** @param depth links between a seed and the targets; `undefined` if depth is not counted */
  linksOf(pageUrl: string, depth: number | undefined): LinkJudge
  /** `ignoreInternal` does not apply to redirects: a redirect within a host is the same page under another URL. */
  redirectsOf(pageUrl: string): LinkJudge
}

export function createLinkPolicy(filter: DecidingFilter, limits: LinkLimits = {}): LinkPolicy {
  const { maxOutlinks = 100_000, maxLength = 4_096, compare = 'host' } = limits
  const { ignoreInternal = false, ignoreExternal = false, exempt } = limits
  const verdictOf = filter.urlOnly === true ? rememberVerdicts(filter) : judgeEach(filter)
  const placeOf = compare === 'domain' ? registeredDomain : (host: string) => host

  function judge(pageUrl: string, depth: number | undefined, dropInternal: boolean): LinkJudge {
    const host = hostOf(pageUrl)
    const place = placeOf(host)
    const origin = { from: pageUrl, ...withoutUndefined({ depth }) }
    const root = rootOf(pageUrl)
    return (url) => {
      if (url.length > maxLength)
        return dropped(`links.maxOutlinkLength: longer than ${maxLength} characters`)
      if (url === pageUrl) return dropped(SELF_LINK)
      // Most links stay: that is seen without taking the host out of each.
      const internal = url.startsWith(root) || hostOf(url) === host
      const stays = internal || placeOf(hostOf(url)) === place
      if (stays && dropInternal) return dropped(`links.ignoreInternal: stays on its ${compare}`)
      if (!stays && ignoreExternal && !exempt?.judge(new CandidateUrl(url, origin)).accepted)
        return dropped(`links.ignoreExternal: leaves its ${compare}`)
      const { accepted, rule } = verdictOf(url, origin)
      return accepted ? (internal ? KEPT_INTERNAL : KEPT_EXTERNAL) : dropped(rule)
    }
  }

  return {
    maxOutlinks,
    linksOf: (pageUrl, depth) => judge(pageUrl, depth, ignoreInternal),
    redirectsOf: (pageUrl) => judge(pageUrl, undefined, false),
  }
}

function judgeEach(filter: DecidingFilter): (url: string, origin: CandidateOrigin) => FilterVerdict {
  return (url, origin) => filter.judge(new CandidateUrl(url, origin))
}

/** `http://host:port/` */
function rootOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  return slash === -1 ? `${url}/` : url.slice(0, slash + 1)
}

const KEPT_INTERNAL: LinkVerdict = { kept: true, internal: true }
const KEPT_EXTERNAL: LinkVerdict = { kept: true, internal: false }

function dropped(rule: string): LinkVerdict {
  return { kept: false, rule }
}
