/** `orbweaver/url`: normal forms, filters, keys and fingerprints. */
export { type CandidateOrigin, CandidateUrl } from './url/candidate-url.ts'
export { DEFAULT_RULES } from './url/default-rules.ts'
export { allowDomains, denyDomains } from './url/domain-filter.ts'
export { fingerprint64, fingerprint128, requestFingerprint } from './url/fingerprint.ts'
export { hostOf } from './url/host-of.ts'
export { limitFilter, type UrlLimits } from './url/limit-filter.ts'
export { createLinkResolver, type LinkResolver } from './url/link-resolver.ts'
export {
  createNormalizer,
  type NormalizedUrl,
  type NormalizerOptions,
  normalizeUrl,
  type UrlNormalizer,
  type UrlRejection,
} from './url/normalize-url.ts'
export { prefixFilter } from './url/prefix-filter.ts'
export { type QueueMode, queueKey } from './url/queue-key.ts'
export { registeredDomain } from './url/registered-domain.ts'
export { parseRuleFile } from './url/rule-file.ts'
export { type Scope, scopeFilter } from './url/scope-filter.ts'
export { parseSuffixFile, type SuffixOptions, suffixFilter } from './url/suffix-filter.ts'
export { type TrapOptions, trapFilter } from './url/trap-filter.ts'
export {
  type ChainOptions,
  type DecidingFilter,
  type FilterVerdict,
  filterChain,
  firstDecision,
  type UrlFilter,
} from './url/url-filter.ts'
