import { CONFIGURATION_CODES, ConfigurationError, CrawlError } from '../../../base/crawl-error.ts'
import { DatabaseUnreadable, ResourcesExhausted } from '../crawl-directory-error.ts'

/**
 * The process that owns the crawl directory ended, or stopped responding, while another command read the crawl.
 * Remedy: Run the command again: it reads the files.
 */
export class OwnerGone extends CrawlError {
  readonly code = 'CRAWL_OWNER_GONE'
  readonly retryable = true
  /** It said itself that it is closing the crawl. */
  readonly isClosing: boolean

  constructor(
    message: string,
    { isClosing = false, ...options }: ErrorOptions & { readonly isClosing?: boolean } = {},
  ) {
    super(message, options)
    this.isClosing = isClosing
  }
}

/**
 * No process fetches for this crawl directory, so there is nothing to pause, resume or stop.
 * Remedy: Start the crawl, or check the directory.
 */
export class CrawlNotRunning extends CrawlError {
  readonly code = 'CRAWL_NOT_RUNNING'
  readonly retryable = true
}

/** The process that owns the crawl could not respond; `code` is that of its error. */
export class OwnerFailed extends CrawlError {
  readonly code: string
  readonly retryable: boolean

  constructor({ code, message, retryable }: SentError) {
    super(message)
    this.code = code
    this.retryable = retryable
  }
}

/** An error as it is sent to a reader. */
export interface SentError {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}

export function sentError(error: unknown): SentError {
  if (error instanceof CrawlError) {
    const { code, message, retryable } = error
    return { code, message, retryable }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'CRAWL_OWNER_FAILED', message, retryable: false }
}

/** The error that the owner had, as the same class where callers tell it apart. */
export function receivedError(sent: SentError): CrawlError {
  const { code, message } = sent
  const configuration = CONFIGURATION_CODES.find((known) => known === code)
  if (configuration !== undefined) return new ConfigurationError(configuration, message)
  if (code === 'CRAWL_OWNER_GONE') return new OwnerGone(message, { isClosing: true })
  const Known = CLASSES[code]
  return Known === undefined ? new OwnerFailed(sent) : new Known(message)
}

const CLASSES: Readonly<Record<string, new (message: string) => CrawlError>> = {
  CRAWL_NOT_RUNNING: CrawlNotRunning,
  RESOURCES_EXHAUSTED: ResourcesExhausted,
  DATABASE_UNREADABLE: DatabaseUnreadable,
}
