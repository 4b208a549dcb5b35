import { ConfigurationError } from '../../base/crawl-error.ts'

/** Pages cannot be rendered: a package or a browser is missing, or the browser does not start. The message has the remedy. */
export function browserUnavailable(message: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError('BROWSER_UNAVAILABLE', message, { cause })
}

/** The browser did not respond in time; it is replaced. */
export class BrowserHung extends Error {
  override readonly name = 'BrowserHung'
}

/** @throws BrowserHung after `ms` */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BrowserHung(`${what}: no response in ${ms / 1000} s`)), ms)
  })
  // A late rejection, after the timeout, must not end the process.
  work.catch(() => {})
  try {
    return await Promise.race([work, hung])
  } finally {
    clearTimeout(timer)
  }
}
