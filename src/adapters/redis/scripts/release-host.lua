-- release-host.lua: ends a claim to a host.
-- include: crawl
-- ARGV[7] host
-- ARGV[8] readyAt: next allowed time (ms)
-- ARGV[9] forgetAt: time after which its throttle state may be forgotten (ms)
-- ARGV[10] state: throttle state (JSON), or ''
-- Returns 'ok', 'lost' or 'behind'.

local reason = checkCall(1)
if reason or storedReply then return reason or storedReply end
local host = ARGV[7]
if call('HEXISTS', K.held .. me, host) == 1 then
  if ARGV[10] ~= '' then storeThrottle(host, ARGV[10], tonumber(ARGV[9])) end
  local out = call('HINCRBY', K.held .. me, host, -1)
  if out <= 0 then freeHost(host, me, tonumber(ARGV[8]))
  elseif not RANKED then call('ZADD', K.open .. me, 'XX', out, host) end
end
return reply(keepReply('ok'))
