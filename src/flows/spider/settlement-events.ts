import { isLogged, logEvent } from '../../base/event-codes.ts'
import type { EventLog } from '../../base/event-log.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { hostOf } from '../../domain/url/host-of.ts'

/** Logs what became of a request of a spider: a retry, a dead letter, its items. */
export function logSettlement(
  log: EventLog,
  { request, attempt }: LeasedRequest,
  settlement: Settlement,
): void {
  const { end, items, rejected } = settlement
  const { url } = request
  if (end.kind === 'retry' && isLogged(log, 'RETRY_PLANNED'))
    logEvent(log, 'RETRY_PLANNED', `${url}: ${end.reason}; retry at ${new Date(end.at).toISOString()}`, {
      ...{ url, host: hostOf(url) },
      data: { attempt, retryAt: end.at, reason: end.reason },
    })
  if (end.kind === 'failed' && isLogged(log, 'DEAD_LETTER'))
    logEvent(log, 'DEAD_LETTER', `${url}: ${end.reason}`, {
      ...{ url, host: hostOf(url) },
      data: { kind: end.code, reason: end.reason, attempt },
    })
  for (const { reason } of rejected)
    logEvent(log, 'ITEM_REJECTED', `an item of ${url} is rejected: ${reason}`, { url, data: { reason } })
  if (items.length > 0 && isLogged(log, 'ITEM_STORED'))
    for (const item of items) logEvent(log, 'ITEM_STORED', `item of ${url}`, { url, data: { item } })
}

/** Logs an item that a pipeline has dropped. @param url of the page; `undefined`: the item is of `onIdle` */
export function logDroppedItem(log: EventLog, url: string | undefined, reason: string): void {
  if (isLogged(log, 'ITEM_DROPPED'))
    logEvent(log, 'ITEM_DROPPED', `an item of ${url ?? 'onIdle'} is dropped: ${reason}`, {
      ...(url !== undefined && { url }),
      data: { reason },
    })
}
