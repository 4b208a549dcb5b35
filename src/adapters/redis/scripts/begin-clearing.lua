-- begin-clearing.lua: ends the crawl at once: its keys are gone and no worker can join until the rest is removed (clear-some).
-- include: crawl, seen-rule
-- ARGV[7] force: 'force' if the crawl may have workers, otherwise ''
-- ARGV[8] items: 'items' to remove the items as well, otherwise ''
-- ARGV[9] starts: 'starts' to remove the start messages as well, otherwise ''
-- ARGV[10] id: names this clearing; a shard is cleared once for each
-- ARGV[11…] keys: full names of the single keys to remove
-- Returns {'ok', id of the clearing}: that of an earlier one which is not finished, otherwise the given one; or {'busy', number of workers}.

local last = call('HMGET', K.counts, 'state', 'cleared')
if last[2] == ARGV[10] then return {'ok', ARGV[10]} end
local id = last[1] == 'clearing' and last[2] or ARGV[10]
local workers = call('ZCOUNT', K.workers, '(' .. now, '+inf')
if workers > 0 and ARGV[7] == '' then return {'busy', workers} end

-- A worker without these keys finds that it is unknown.
for _, fence in ipairs(call('ZRANGE', K.workers, 0, -1)) do
  call('UNLINK', K.worker .. fence, K.held .. fence, K.open .. fence, K.leased .. fence)
end
local dupefilter, _, where = readRule(call('HGET', K.counts, 'rule'))
if dupefilter ~= 'own' then call('UNLINK', where) end
local shards = storedShards()
local kept = call('HMGET', K.counts, 'fences', 'items')
call('DEL', K.counts)
call('HSET', K.counts, 'state', 'clearing', 'cleared', id)
if kept[1] then call('HSET', K.counts, 'fences', kept[1]) end
-- The throttle state of hosts stays, in the shards of the hosts.
if shards then call('HSET', K.counts, 'shards', shards) end
if kept[2] and ARGV[8] == '' then call('HSET', K.counts, 'items', kept[2]) end
if ARGV[8] ~= '' then
  for _, consumer in ipairs(call('ZRANGE', K.itemTakings, 0, -1)) do call('UNLINK', K.itemTaking .. consumer) end
end
if ARGV[9] ~= '' then
  for _, batch in ipairs(call('ZRANGE', K.takings, 0, -1)) do call('UNLINK', K.taking .. batch) end
end
for i = 11, #ARGV do call('UNLINK', ARGV[i]) end
return {'ok', id}
