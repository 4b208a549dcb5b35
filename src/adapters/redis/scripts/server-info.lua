-- server-info.lua: returns the health of the server; in a cluster, of the node that has the key of the call.
-- Returns {time of the server (ms), text of INFO}.

local time = redis.call('TIME')
local sections = {}
for _, name in ipairs({'server', 'memory', 'persistence', 'replication'}) do
  sections[#sections + 1] = redis.call('INFO', name)
end
return {string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), table.concat(sections, '\r\n')}
