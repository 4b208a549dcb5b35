/** An error with a stable `code`. Nobody reads messages to decide; messages are for people. */
export abstract class CrawlError extends Error {
  abstract readonly code: string
  /** Whether the same thing, tried again later, may succeed. */
  abstract readonly retryable: boolean

  override get name(): string {
    return this.constructor.name
  }
}

/** What the operator wrote cannot be used: a flag, a rule file, an option. The message says what to do. */
export class ConfigurationError extends CrawlError {
  readonly code = 'CONFIGURATION'
  readonly retryable = false
}
