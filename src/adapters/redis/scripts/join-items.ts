import { ITEMS } from './items.ts'
import { script } from './script.ts'

/** A process begins to take items, in place of any other of its name. */
export const JOIN_ITEMS = script(
  'join-items',
  ITEMS,
  `
-- Returns what the consumer of that name last remembered, or ''.
-- A Redis whose memory is full lets a script add something when its first change adds nothing: taking items is what makes room.
call('HDEL', me, 'token')
call('HSET', me, 'token', token, 'acknowledged', 0)
call('EXPIRE', me, KEPT_SECONDS)
return call('HGET', me, 'state') or ''
`,
)
