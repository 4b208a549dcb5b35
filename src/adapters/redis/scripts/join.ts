import { script } from './script.ts'
import { RULE } from './seen.ts'
import { SHARED } from './shared.ts'

/** A process comes to work on the job. */
export const JOIN = script(
  'join',
  SHARED,
  RULE,
  `
-- ARGV 7 name of the worker, for people  8 something that no other worker has  9 'again' when it was here before, else ''
--      10 the rule by which it is to remember what it has seen; '' that of the job
-- Returns {'ok', its fence, the rule}, {'order', that of the job} when it is another one, {'rule', that of the job or of the one it shares with} when
-- it is another one, {'kind', what the dupefilter is, its key} when that is no set, {'forgotten'} when the job is gone that the worker knew, or
-- {'clearing'} while it is being cleared.
if call('HGET', K.counts, 'state') == 'clearing' then return {'clearing'} end
local order = call('HGET', K.counts, 'order')
if order and order ~= ORDER then return {'order', order} end
if not order and ARGV[FIRST + 2] == 'again' then return {'forgotten'} end
local wanted = ARGV[FIRST + 3] or ''
local rule = call('HGET', K.counts, 'rule') or (order and OWN_RULE)
if rule and wanted ~= '' and wanted ~= rule then return {'rule', rule} end
rule = rule or (wanted ~= '' and wanted) or OWN_RULE
local dupefilter, _, where = readRule(rule)
if dupefilter ~= 'own' then
  local kind = call('TYPE', where).ok
  if kind ~= 'none' and kind ~= 'set' then return {'kind', kind, where} end
elseif where ~= KEYS[1] then
  -- The set is another's, who may come later.
  local counts = keyIn(where, K.counts)
  local other = call('HGET', counts, 'rule') or (call('HGET', counts, 'order') and 'own 0 ' .. where)
  if other and other ~= rule then return {'rule', other} end
  call('HSET', counts, 'rule', rule)
end
heartbeat()
call('HSET', K.counts, 'order', ORDER, 'rule', rule)
-- Nobody waited for more until now.
if call('EXISTS', K.workers) == 0 then active() end
-- A Redis that lost its last second would give a number again.
local fence = call('HINCRBY', K.counts, 'fences', 1) .. '.' .. ARGV[FIRST + 1]
call('HSET', K.worker .. fence, 'lives', 1, 'name', ARGV[FIRST], 'joinedAt', now, 'heardAt', now)
call('ZADD', K.workers, now + leaseMs, fence)
return reply({'ok', fence, rule})
`,
)
