-- add.lua: queues requests that the crawl has not seen.
-- include: crawl, seen, filter-seen
-- ARGV[7] complete: 'complete' if these are the last start requests, otherwise ''
-- ARGV[8] batch: batch of start messages that the requests come from, or ''; this call acknowledges it
-- ARGV[9…] requests: fingerprint, due (ms), score, host, json of each
-- Returns "added duplicates", 'lost' or 'behind'.

local reason = checkCall(1)
if reason or storedReply then return reason or storedReply end
local batch = ARGV[8]
if batch ~= '' then
  call('ZREM', K.takings, batch)
  -- The batch was added before, or it expired and another worker has it.
  if call('DEL', K.taking .. batch) == 0 then return keepReply('0 0') end
end
for i = 9, #ARGV, 5 do add(i) end
growSeen()
if ARGV[7] == 'complete' then call('HSET', K.counts, 'complete', 1) end
if added > 0 then markActive() end
count('added', added)
count('duplicates', duplicates)
return reply(keepReply(added .. ' ' .. duplicates))
