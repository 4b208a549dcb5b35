import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** A process comes to work on the job. */
export const JOIN = script(
  'join',
  SHARED,
  `
-- ARGV 8 name of the worker, for people  9 something that no other worker has  10 'again' when it was here before, else ''
-- Returns {'ok', its fence}, {'order', that of the job} when it is another one, or {'forgotten'} when the job is gone that the worker knew.
local order = call('HGET', K.counts, 'order')
if order and order ~= ORDER then return {'order', order} end
if not order and ARGV[FIRST + 2] == 'again' then return {'forgotten'} end
heartbeat()
call('HSET', K.counts, 'order', ORDER)
-- A Redis that lost its last second would give a number again.
local fence = call('HINCRBY', K.counts, 'fences', 1) .. '.' .. ARGV[FIRST + 1]
call('HSET', K.worker .. fence, 'lives', 1, 'name', ARGV[FIRST], 'joinedAt', ARGV[1], 'heardAt', ARGV[1])
call('ZADD', K.workers, now + leaseMs, fence)
return reply({'ok', fence})
`,
)
