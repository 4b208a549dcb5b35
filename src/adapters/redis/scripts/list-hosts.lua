-- list-hosts.lua: lists some hosts of the crawl that have requests. Read-only.
-- include: crawl
-- ARGV[7] line: 'held' for hosts of workers, 'free' for hosts without an owner, 'resting' for delayed hosts
-- ARGV[8] cursor: where the list continues; '0' at first
-- ARGV[9] limit: maximum number of hosts, about
-- Returns {cursor of the next call, '0' at the end, {host, fence of its worker or '', requests ready, requests leased,
-- next allowed time (ms) or '', throttle state (JSON) or '', …}}.

local line, cursor, most = ARGV[7], ARGV[8], tonumber(ARGV[9])
local hosts = {}
local function list(host, worker, readyAt)
  local leased = worker == '' and '0' or call('HGET', K.held .. worker, host) or '0'
  local ready = call('ZCARD', K.wait .. host)
  for _, value in ipairs({host, worker, ready, leased, readyAt, call('HGET', K.paces, host) or ''}) do hosts[#hosts + 1] = value end
end
if line == 'held' then
  local page = call('HSCAN', K.owners, cursor, 'COUNT', most)
  for i = 1, #page[2], 2 do list(page[2][i], page[2][i + 1], '') end
  return {page[1], hosts}
end
local from = tonumber(cursor)
local entries = call('ZRANGE', line == 'free' and K.free or K.resting, from, from + most - 1, 'WITHSCORES')
for i = 1, #entries, 2 do
  if line == 'resting' then list(entries[i], '', entries[i + 1])
  else list(RANKED and entries[i]:sub(17) or entries[i], '', '') end
end
return {#entries < most * 2 and '0' or tostring(from + most), hosts}
