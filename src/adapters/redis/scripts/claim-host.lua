-- claim-host.lua: gives a host to a worker without a request of it.
-- include: crawl
-- ARGV[7] host
-- Returns {'lost'}, {'behind'}, {'busy'} if another worker has the host or may have it,
-- or {'ok', throttle state (JSON), time of its loss (ms) or ''}.

local reason = checkCall(1)
if reason or storedReply == 'busy' then return {reason or storedReply} end
local host = ARGV[7]
local owner = call('HGET', K.owners, host)
local throttle, lost = throttleOf(host)
if storedReply then return {'ok', throttle, lost} end
if (owner or quietUntil()) and owner ~= me then return {keepReply('busy')} end
local n = call('ZCARD', K.wait .. host)
if not owner and n > 0 then
  if call('ZREM', K.resting, host) == 1 then count('resting', -n)
  else
    removeFromLine(K.free, host)
    count('free', -n)
  end
  countReady(me, n)
end
call('HSET', K.owners, host, me)
local out = call('HINCRBY', K.held .. me, host, 1)
if n > 0 then addToLine(K.open .. me, host, out) end
keepReply('claimed')
return reply({'ok', throttle, lost})
