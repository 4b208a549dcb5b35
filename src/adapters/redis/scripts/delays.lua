-- delays.lua: returns delayed requests and delayed hosts, to explain why requests are not handed out. Read-only.
-- include: crawl
-- ARGV[7] limit: maximum number of each
-- Returns {{attempt of a delayed request, …}, time of the first delayed request (ms) or '',
-- {delayed host, its throttle state (JSON) or '', …}}.

local most = tonumber(ARGV[7])
local attempts, hosts = {}, {}
local first = call('ZRANGE', K.delayed, 0, 0, 'WITHSCORES')[2]
for _, arrival in ipairs(call('ZRANGE', K.delayed, 0, most - 1)) do
  attempts[#attempts + 1] = (call('HGET', K.requests, arrival) or ''):match('^(%d+) ') or ''
end
for _, host in ipairs(call('ZRANGE', K.resting, 0, most - 1)) do
  hosts[#hosts + 1] = host
  hosts[#hosts + 1] = call('HGET', K.paces, host) or ''
end
return {attempts, first or '', hosts}
