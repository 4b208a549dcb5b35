-- reserve-pages.lua: reports the pages of a worker, and changes its reservations under the page limit of the run.
-- include: crawl
-- ARGV[7] limit: maximum number of pages of the run
-- ARGV[8] pages: pages since the last call
-- ARGV[9] kept: reservations that stay; all others end
-- ARGV[10] wanted: reservations that the worker can use, including kept
-- ARGV[11] again: 'again' if the process took part in this run before, otherwise ''
-- Returns "reserved left", 'lost' or 'behind'.

local reason = checkCall(1)
if reason or storedReply then return reason or storedReply end
local limit, pages, kept, wanted = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])

-- A run ends when no worker took part in it for a lease. After an outage, workers whose leases have ended may still come back.
local function isRunOver()
  if now - budgetOf('at') <= leaseMs then return false end
  local isAmnesty = now < (tonumber(call('HGET', K.counts, 'amnesty')) or 0)
  for _, worker in ipairs(call('ZRANGEBYSCORE', K.workers, isAmnesty and '-inf' or '(' .. now, '+inf')) do
    if worker ~= me and call('HEXISTS', K.worker .. worker, 'reserved') == 1 then return false end
  end
  return true
end
if ARGV[11] == '' and call('HEXISTS', K.worker .. me, 'reserved') == 0 and isRunOver() then call('DEL', K.budget) end

returnPages(me)
local total, others = budgetOf('pages') + pages, budgetOf('reserved')
local free = math.max(0, limit - total - others - kept)
-- A part of the last pages goes to each worker, as others may be faster.
local workers = math.max(1, call('ZCARD', K.workers))
if workers > 1 then free = math.ceil(free / (2 * workers)) end
local reserved = kept + math.max(0, math.min(wanted - kept, free))
call('HSET', K.worker .. me, 'reserved', whole(reserved))
call('HSET', K.budget, 'pages', whole(total), 'reserved', whole(others + reserved), 'at', whole(now))
return reply(keepReply(whole(reserved) .. ' ' .. whole(math.max(0, limit - total))))
