import type { ProxyEvent } from '../adapters/http/proxy-pool.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'

/** Logs the events of proxies. An outage of all proxies is one warning, and its end one notice. */
export function proxyNotices(log: EventLog): (event: ProxyEvent) => void {
  return (event) => {
    switch (event.kind) {
      case 'suspended':
        return logEvent(
          log,
          'PROXY_SUSPENDED',
          `proxy ${event.proxy} is not used for ${event.seconds} s: ${event.reason}`,
          { data: { proxy: event.proxy } },
        )
      case 'all-down':
        return logEvent(
          log,
          'PROXIES_LOST',
          `${event.proxies === 1 ? 'the proxy fails' : `all ${event.proxies} proxies fail`} (${event.reason}); requests wait, and proxies are tried again every 5 to 60 s`,
        )
      case 'back':
        return event.wasDown
          ? logEvent(log, 'PROXIES_BACK', `proxy ${event.proxy} works again; the crawl continues`)
          : logEvent(log, 'PROXY_BACK', `proxy ${event.proxy} works again`)
      case 'escalated':
        return logEvent(
          log,
          'PROXY_TIER_RAISED',
          `${event.host} blocks the proxies of a lower tier; tier ${event.tier} is used for it for an hour`,
          { host: event.host },
        )
    }
  }
}
