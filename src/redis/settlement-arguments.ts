import type { Settlement } from '../frontier/settlement.ts'
import type { Lent } from './held-hosts.ts'
import type { SeenFingerprint } from './seen-fingerprint.ts'
import { dueTime, requestArguments } from './stored-request.ts'

/** The arguments by which a script settles a request; `scripts/settle.ts` says what they are. */
export function settlementArguments(
  { id, end, requests, items, rejected }: Settlement,
  { host, url }: Lent,
  keyOf: (url: string) => string,
  fingerprint: SeenFingerprint,
): string[] {
  const hasTime = (end.kind === 'retry' || end.kind === 'put-back') && end.at !== undefined
  return [
    ...leaseArguments(id),
    ...[host, items.length > 0 ? url : '', end.kind],
    hasTime ? dueTime(end.at) : '',
    end.kind === 'failed' ? failureJson(end.code, end.reason, end.stack) : '',
    ...[String(items.length), ...items.map((item) => JSON.stringify(item))],
    ...[
      String(rejected.length),
      ...rejected.map(({ item, reason }) => JSON.stringify({ url, item, reason })),
    ],
    ...[
      String(requests.length),
      ...requests.flatMap((request) => requestArguments(request, keyOf(request.url), fingerprint)),
    ],
  ]
}

/** The arguments that move a request out of the way which is none. */
export function malformedArguments(id: string, host: string, stored: string): string[] {
  return [...leaseArguments(id), host, '', 'malformed', '', stored, '0', '0', '0']
}

/** An id is `<fence>-<call>-<arrival>`: no other lease has it. */
function leaseArguments(id: string): string[] {
  return id.split('-').slice(1)
}

/** The members of the object, without its braces: the script puts others beside them. */
function failureJson(code: string, reason: string, stack: string | undefined): string {
  return JSON.stringify({ code, reason, stack }).slice(1, -1)
}
