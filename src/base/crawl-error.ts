/** An error with a stable `code`. Programs compare codes; messages are for people. */
export abstract class CrawlError extends Error {
  /** Stable, for programs to compare: `CRAWL_DIRECTORY_LOCKED`. */
  abstract readonly code: string
  /** Whether a later attempt may succeed. */
  abstract readonly retryable: boolean

  /** The name of the class. */
  override get name(): string {
    return this.constructor.name
  }
}

/**
 * Codes of configuration errors, for scripts to compare. docs/error-codes.md is made of the comments, as of those of all errors and
 * events: the cause, then the remedy.
 */
export const CONFIGURATION_CODES = [
  /**
   * A port of `--serve`, `--metrics` or `orbweaver serve` is in use, or the address does not belong to this machine.
   * Remedy: Choose another port or address, or stop the process that uses it.
   */
  'ADDRESS_UNAVAILABLE',
  /**
   * The name, contact URL or e-mail address of the crawler is invalid.
   * Remedy: Correct `--agent`, `--contact` or `--email`, or the keys of `agent`.
   */
  'AGENT_INVALID',
  /**
   * `--render` is set, and playwright-core or a browser is missing, or the browser does not start.
   * Remedy: Install what the message names: [JavaScript sites](javascript-sites.md).
   */
  'BROWSER_UNAVAILABLE',
  /**
   * The configuration file cannot be read, or code in a crawl directory was not loaded.
   * Remedy: Correct the file in the message, or name it with `--config`: [Configuration](configuration.md).
   */
  'CONFIG_FILE_INVALID',
  /**
   * A crawl in Redis was started with other settings.
   * Remedy: Use the same settings, or delete the crawl with `orbweaver clear`.
   */
  'CRAWL_MISMATCH',
  /**
   * A file or a format of an export is invalid.
   * Remedy: Correct the file name or the format in the message.
   */
  'EXPORT_INVALID',
  /**
   * A target of `--index-to`, `--to` or `--target` is invalid.
   * Remedy: Correct the address: [Solr, Elasticsearch and others](index-targets.md).
   */
  'INDEX_TARGET_INVALID',
  /**
   * The address of an object store is invalid.
   * Remedy: Use the form `s3://bucket/prefix`: [Object storage](object-storage.md).
   */
  'OBJECT_STORE_URL_INVALID',
  /**
   * A flag, an argument, or an option of a method is invalid or missing.
   * Remedy: The message names it; `orbweaver help <command>` lists all flags.
   */
  'OPTION_INVALID',
  /**
   * The URL of a proxy is invalid.
   * Remedy: Use `http://`, `https://` or `socks5://`, a host and a port: [Sessions and proxies](sessions-and-proxies.md).
   */
  'PROXY_INVALID',
  /**
   * A search query or an SQL condition is invalid.
   * Remedy: Correct the part in the message: [Search](search.md).
   */
  'QUERY_INVALID',
  /**
   * The address of Redis is invalid.
   * Remedy: Use the form `redis://host:port`: [Fleet](fleet.md).
   */
  'REDIS_ADDRESS_INVALID',
  /**
   * A key in Redis has another type than a crawl expects: another program uses it.
   * Remedy: Choose another name for the crawl, or another database of Redis.
   */
  'REDIS_KEY_INVALID',
  /**
   * The version, the eviction policy or the permissions of this Redis are not sufficient.
   * Remedy: Change what the message names: [Fleet](fleet.md).
   */
  'REDIS_UNSUITABLE',
  /**
   * A spider yields a request that cannot be sent.
   * Remedy: Correct the URL, method, headers or body in the message.
   */
  'REQUEST_INVALID',
  /**
   * A line of URL filter rules is invalid.
   * Remedy: Correct the line in the message: `+pattern` or `-pattern`.
   */
  'RULE_INVALID',
  /**
   * A crawl has no seeds.
   * Remedy: Give URLs, files or directories of files.
   */
  'SEEDS_MISSING',
  /**
   * There is no segment with this name, or it is not in the state that the command needs.
   * Remedy: `orbweaver readseg <dir> --list` shows the segments and their state.
   */
  'SEGMENT_UNUSABLE',
  /**
   * A key of the configuration, or an environment variable, has an invalid value or an unknown name.
   * Remedy: The message names it and the expected value: [Configuration](configuration.md).
   */
  'SETTING_INVALID',
  /**
   * The spider file cannot be loaded, or has no default export.
   * Remedy: Correct the file; `orbweaver new` creates one that works.
   */
  'SPIDER_FILE_INVALID',
  /**
   * The definition of a spider is invalid.
   * Remedy: Correct the part in the message: [Spiders](spiders.md).
   */
  'SPIDER_INVALID',
  /**
   * A start URL cannot be crawled.
   * Remedy: Give a complete URL, such as `https://example.org/`.
   */
  'START_URL_INVALID',
  /**
   * A file of the crawl directory that stores state was changed or damaged.
   * Remedy: The message says how to reset it.
   */
  'STATE_FILE_INVALID',
  /**
   * A URL cannot be crawled.
   * Remedy: Give a complete URL with a supported scheme.
   */
  'URL_INVALID',
] as const

/** The codes of a {@link ConfigurationError}. */
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
