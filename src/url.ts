/**
 * Normal forms, filters, keys and fingerprints.
 * @module orbweaver/url
 */

export { type CandidateOrigin, CandidateUrl } from './domain/url/candidate-url.ts'
export { DEFAULT_RULES } from './domain/url/default-rules.ts'
export { allowDomains, denyDomains } from './domain/url/domain-filter.ts'
export { parseFastFilter } from './domain/url/fast-filter.ts'
export { fingerprint64, fingerprint128, requestFingerprint } from './domain/url/fingerprint.ts'
export { hostOf } from './domain/url/host-of.ts'
export { limitFilter, type UrlLimits } from './domain/url/limit-filter.ts'
export { createLinkResolver, type LinkResolver } from './domain/url/link-resolver.ts'
export {
  createNormalizer,
  type NormalizedUrl,
  type NormalizerOptions,
  normalizeUrl,
  type UrlNormalizer,
  type UrlRejection,
} from './domain/url/normalize-url.ts'
export { type PatternReplacement, patternRewrite } from './domain/url/pattern-rewrite.ts'
export { prefixFilter } from './domain/url/prefix-filter.ts'
export { publicNameFilter } from './domain/url/public-name-filter.ts'
export { type QueueMode, queueKey } from './domain/url/queue-key.ts'
export { registeredDomain } from './domain/url/registered-domain.ts'
export { parseRuleFile } from './domain/url/rule-file.ts'
export { type Scope, scopeFilter } from './domain/url/scope-filter.ts'
export { parseSuffixFile, type SuffixOptions, suffixFilter } from './domain/url/suffix-filter.ts'
export { type TrapOptions, trapFilter } from './domain/url/trap-filter.ts'
export {
  type ChainOptions,
  type DecidingFilter,
  type FilterVerdict,
  filterChain,
  firstDecision,
  type UrlFilter,
} from './domain/url/url-filter.ts'
export {
  type HostEntries,
  hostRewrite,
  protocolRewrite,
  rewritingNormalizer,
  slashRewrite,
  type UrlRewrite,
} from './domain/url/url-rewrite.ts'
