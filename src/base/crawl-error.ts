/** An error with a stable `code`. Programs compare codes; messages are for people. */
export abstract class CrawlError extends Error {
  abstract readonly code: string
  /** Whether a later attempt may succeed. */
  abstract readonly retryable: boolean

  override get name(): string {
    return this.constructor.name
  }
}

/** Codes of configuration errors, for scripts to compare. */
export const CONFIGURATION_CODES = [
  'ADDRESS_UNAVAILABLE',
  'AGENT_INVALID',
  'BROWSER_UNAVAILABLE',
  'CONFIG_FILE_INVALID',
  'CRAWL_MISMATCH',
  'EXPORT_INVALID',
  'INDEX_TARGET_INVALID',
  'OBJECT_STORE_URL_INVALID',
  'OPTION_INVALID',
  'PROXY_INVALID',
  'QUERY_INVALID',
  'REDIS_ADDRESS_INVALID',
  'REDIS_KEY_INVALID',
  'REDIS_UNSUITABLE',
  'REQUEST_INVALID',
  'RULE_INVALID',
  'SEEDS_MISSING',
  'SEGMENT_UNUSABLE',
  'SETTING_INVALID',
  'SPIDER_FILE_INVALID',
  'SPIDER_INVALID',
  'START_URL_INVALID',
  'STATE_FILE_INVALID',
  'URL_INVALID',
] as const

export type ConfigurationCode = (typeof CONFIGURATION_CODES)[number]

/** An invalid flag, option, file or rule of the user. The message says what to change. */
export class ConfigurationError extends CrawlError {
  readonly code: ConfigurationCode
  readonly retryable = false

  constructor(code: ConfigurationCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
