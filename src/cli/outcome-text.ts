import type { LastOutcome } from '../domain/crawldb/crawl-record.ts'

/** `HTTP 404 (NOTFOUND)`, or `EXCEPTION` where there was no response. */
export function outcomeText({ protocolStatus, httpStatus }: LastOutcome): string {
  return httpStatus === undefined ? protocolStatus : `HTTP ${httpStatus} (${protocolStatus})`
}
