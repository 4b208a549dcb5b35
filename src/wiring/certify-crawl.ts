import { statSync } from 'node:fs'
import { requestLogFiles } from '../adapters/crawl-directory/request-log-reader.ts'
import { wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { packageVersion } from '../base/package-version.ts'
import type { Certificate } from '../domain/certificate/certificate.ts'
import { type CertifyOptions, certify } from '../flows/cycle/certify.ts'

/** Checks the request logs of a crawl directory. It only reads these files, so a crawl may run meanwhile. */
export async function certifyCrawl(directory: string, options: CertifyOptions = {}): Promise<Certificate> {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new ConfigurationError(
      'OPTION_INVALID',
      `there is no directory ${directory}; give a crawl directory`,
    )
  return certify(await requestLogFiles(directory), `orbweaver/${packageVersion()}`, wallClock, options)
}
