-- join.lua: registers a process as a worker of the crawl.
-- include: crawl, seen-rule
-- ARGV[7] name: name of the worker, for display
-- ARGV[8] unique: a string that no other worker has
-- ARGV[9] again: 'again' if it worked on this crawl before, otherwise ''
-- ARGV[10] rule: seen rule that it requires, or '' for the rule of the crawl
-- ARGV[11] shards: number of shards of the crawl
-- Returns {'ok', fence, rule, version of the operator's delays or '', {host, delay (ms), …}}, or a reason:
-- {'shards', their number} if it differs; {'order', order of the crawl} if it differs; {'rule', rule of the crawl or of the crawl it shares with} if it differs;
-- {'kind', type, key} if the dupefilter is not a set; {'forgotten'} if the crawl that the worker knew is gone;
-- {'clearing', id of the clearing} while the crawl is being cleared.

if call('HGET', K.counts, 'state') == 'clearing' then return {'clearing', call('HGET', K.counts, 'cleared') or ''} end
local order = call('HGET', K.counts, 'order')
local shards = storedShards()
if shards and shards ~= ARGV[11] then return {'shards', shards} end
if order and order ~= ORDER then return {'order', order} end
if not order and ARGV[9] == 'again' then return {'forgotten'} end
local wanted = ARGV[10] or ''
local rule = call('HGET', K.counts, 'rule') or (order and OWN_RULE)
if rule and wanted ~= '' and wanted ~= rule then return {'rule', rule} end
rule = rule or (wanted ~= '' and wanted) or OWN_RULE
local dupefilter, _, where = readRule(rule)
if dupefilter ~= 'own' then
  local kind = call('TYPE', where).ok
  if kind ~= 'none' and kind ~= 'set' then return {'kind', kind, where} end
elseif where ~= KEYS[1] then
  -- The set belongs to another crawl, which may start later.
  local counts = keyIn(where, K.counts)
  local other = call('HGET', counts, 'rule') or (call('HGET', counts, 'order') and 'own 0 ' .. where)
  if other and other ~= rule then return {'rule', other} end
  call('HSET', counts, 'rule', rule)
end
heartbeat()
call('HSET', K.counts, 'order', ORDER, 'rule', rule, 'shards', ARGV[11])
-- No worker was idle before the first one joins.
if call('EXISTS', K.workers) == 0 then markActive() end
-- A Redis that lost its latest writes would give the same number again; the random part makes it unique.
local fence = call('HINCRBY', K.counts, 'fences', 1) .. '.' .. ARGV[8]
call('HSET', K.worker .. fence, 'lives', 1, 'name', ARGV[7], 'joinedAt', now, 'heardAt', now)
call('ZADD', K.workers, now + leaseMs, fence)
return reply({'ok', fence, rule, call('HGET', K.counts, 'hostDelaysVersion') or '', call('HGETALL', K.hostDelays)})
