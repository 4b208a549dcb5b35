-- settle.lua: applies the results of requests: outcome, links, items and the throttle state of their hosts.
-- include: crawl, item-list, seen, filter-seen
-- ARGV[7…] hosts: number of hosts, then for each: host, next allowed time (ms), time after which its throttle state
--   may be forgotten (ms), throttle state (JSON).
--   Then settlements, each: call and arrival of the lease, host, URL, outcome, its time (ms) or '', failure or retry reason or '',
--   host whose page it is or '', number of items, items, number of rejected items, rejected items, duplicates that were left out, number of requests,
--   requests (five values each)
-- Returns "added duplicates ignored", 'lost' or 'behind'.

local reason = checkCall(1)
if reason or storedReply then return reason or storedReply end

local i, ignored = 7, 0
local function nextArgument()
  i = i + 1
  return ARGV[i - 1]
end
local function nextList(size)
  local from, n = i + 1, tonumber(ARGV[i])
  i = from + n * size
  return from, n
end

local restUntil = {}
local from, n = nextList(4)
for at = from, i - 1, 4 do
  restUntil[ARGV[at]] = tonumber(ARGV[at + 1])
  storeThrottle(ARGV[at], ARGV[at + 3], tonumber(ARGV[at + 2]))
end
forgetThrottles(2 * n + 4)

local touched, out = {}, {}
local function countDown(host)
  if not out[host] then touched[#touched + 1] = host end
  out[host] = call('HINCRBY', K.held .. me, host, -1)
end
local function finish(arrival, request, kind, time, failure)
  if kind == 'retry' or kind == 'requeue' then
    if kind == 'retry' then store(arrival, request.attempt + 1, request.losses, request.score, request.host, request.json) end
    enqueueAt(arrival, request.score, request.host, tonumber(time) or 0)
    count(kind == 'retry' and 'retried' or 'returned', 1)
    if kind == 'retry' then count('retried ' .. failure, 1) end
    return
  end
  call('HDEL', K.requests, arrival)
  if kind == 'failed' then fail(request, failure)
  elseif kind == 'malformed' then
    call('RPUSH', K.malformed, failure)
    count('malformed', 1)
  elseif kind == 'moved' then count('added', -1)
  else count('done', 1) end
end
local function keepItems(url, from, n)
  if n == 0 then return end
  for at = from, from + n - 1 do
    call('RPUSH', KEYS[2], ARGV[at])
    call('RPUSH', K.itemUrls, url)
  end
  count('items', n)
end

while i <= #ARGV do
  local leaseCall, arrival, host = nextArgument(), nextArgument(), nextArgument()
  local url, kind, time, failure = nextArgument(), nextArgument(), nextArgument(), nextArgument()
  local pageOf = nextArgument()
  local items, itemCount = nextList(1)
  local rejected, rejectedCount = nextList(1)
  local leftOut = tonumber(nextArgument())
  local requests = nextList(5)
  if call('ZSCORE', K.leased .. me, arrival) ~= leaseCall then
    ignored = ignored + 1
  else
    call('ZREM', K.leased .. me, arrival)
    count('leased', -1)
    countDown(host)
    local request = read(arrival)
    if request then finish(arrival, request, kind, time, failure) end
    if pageOf ~= '' then call('HSET', K.hostPages, pageOf, whole((tonumber(call('HGET', K.hostPages, pageOf)) or 0) + 1)) end
    keepItems(url, items, itemCount)
    for at = rejected, rejected + rejectedCount - 1 do call('RPUSH', K.rejected, ARGV[at]) end
    duplicates = duplicates + leftOut
    for at = requests, i - 1, 5 do add(at) end
  end
end
growSeen()

for _, host in ipairs(touched) do
  if out[host] <= 0 then freeHost(host, me, restUntil[host] or 0)
  elseif not RANKED then call('ZADD', K.open .. me, 'XX', out[host], host) end
end
-- Consumers take items from the front of the list; here the list of URLs is cut to the same length.
local tooMany = call('LLEN', K.itemUrls) - call('LLEN', KEYS[2])
if tooMany > 0 then call('LTRIM', K.itemUrls, tooMany, -1) end

markActive()
count('added', added)
count('duplicates', duplicates)
return reply(keepReply(added .. ' ' .. duplicates .. ' ' .. ignored))
