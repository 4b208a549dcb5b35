import { DomainSet } from '../url/domain-set.ts'
import { hostOf } from '../url/host-of.ts'
import { compileLinear, type LinearPattern } from '../url/linear-pattern.ts'
import { DENIED_EXTENSIONS } from './denied-extensions.ts'

/** A regular expression, or its source in RE2's syntax. */
export type LinkPattern = RegExp | string

/** Which URLs count. All of them together: a link must pass each that is given. */
export interface LinkFilterOptions {
  /** The absolute URL must match one of these, anywhere. @default every URL does */
  readonly allow?: LinkPattern | readonly LinkPattern[]
  /** It must match none of these; stronger than `allow`. */
  readonly deny?: LinkPattern | readonly LinkPattern[]
  /** Hosts, each with everything under it. @default every host */
  readonly allowDomains?: string | readonly string[]
  readonly denyDomains?: string | readonly string[]
  /** Ends of the path, without the dot. @default those of images, archives, office files and their like */
  readonly denyExtensions?: readonly string[]
}

/** @throws ConfigurationError for a pattern or a host name that cannot be used */
export function createLinkFilter(options: LinkFilterOptions): (url: string) => boolean {
  const { denyExtensions = DENIED_EXTENSIONS } = options
  const allow = compilePatterns(options.allow, 'allow')
  const deny = compilePatterns(options.deny, 'deny')
  const allowDomains = new DomainSet(listOf(options.allowDomains), 'allowDomains')
  const denyDomains = new DomainSet(listOf(options.denyDomains), 'denyDomains')
  const extensions = new Set(denyExtensions.map((extension) => extension.replace(/^\./, '').toLowerCase()))

  return (url) => {
    if (allow.length > 0 && !allow.some((pattern) => pattern.test(url))) return false
    if (deny.some((pattern) => pattern.test(url))) return false
    const host = hostOf(url)
    if (allowDomains.size > 0 && allowDomains.covering(host) === undefined) return false
    if (denyDomains.covering(host) !== undefined) return false
    return !extensions.has(extensionOf(url))
  }
}

/** @param where names the option in messages */
export function compilePatterns(
  patterns: LinkPattern | readonly LinkPattern[] | undefined,
  where: string,
): readonly LinearPattern[] {
  return listOf(patterns).map((pattern) => {
    if (typeof pattern === 'string') return compileLinear(pattern, where)
    // With these flags a RegExp remembers where it was, and every second test would start there.
    return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
  })
}

export function listOf<Entry extends string | RegExp>(
  entries: Entry | readonly Entry[] | undefined,
): readonly Entry[] {
  if (entries === undefined) return []
  return typeof entries === 'string' || entries instanceof RegExp ? [entries] : entries
}

/** Of the path of a normalised URL, lower case; `''`: none. */
function extensionOf(url: string): string {
  const [path = ''] = url.slice(url.indexOf('//') + 2).split(/[?#]/, 1)
  const file = path.slice(path.lastIndexOf('/') + 1)
  const dot = file.lastIndexOf('.')
  return dot === -1 || !path.includes('/') ? '' : file.slice(dot + 1).toLowerCase()
}
