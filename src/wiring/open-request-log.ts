import type { Settings } from '../adapters/config/config-schema.ts'
import { RequestLog } from '../adapters/crawl-directory/request-log.ts'
import { userAgent } from '../adapters/http/user-agent.ts'
import type { Clock } from '../base/clock.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { packageVersion } from '../base/package-version.ts'
import { withoutUndefined } from '../base/without-undefined.ts'

/** The log of the requests of this process; `undefined` if the setting `requestLog` is off. Close it after the last request. */
export function openRequestLog(
  directory: string,
  { agent, http, robots, requestLog }: Settings,
  clock: Clock,
  log: EventLog,
): RequestLog | undefined {
  if (!requestLog) return undefined
  const { name, contactUrl, email } = agent
  const version = packageVersion()
  const [, own] = Object.entries(http.headers).find(([header]) => header.toLowerCase() === 'user-agent') ?? []
  return new RequestLog(directory, {
    clock,
    process: {
      ...{
        software: `orbweaver/${version}`,
        userAgent: own ?? userAgent({ ...agent, version }),
        agent: name,
      },
      ...withoutUndefined({ contactUrl, email }),
      denyOnForbidden: robots.denyOnForbidden,
    },
    onError: (error) =>
      logEvent(
        log,
        'REQUEST_LOG_FAILED',
        `the request log in ${directory} cannot be written (${error instanceof Error ? error.message : String(error)}). The crawl continues; orbweaver certify will report that the log is incomplete`,
      ),
  })
}
