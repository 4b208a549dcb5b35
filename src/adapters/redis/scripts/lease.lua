-- lease.lua: hands out requests and their hosts to one worker.
-- include: crawl
-- ARGV[7] requests: maximum number of requests
-- ARGV[8] perHost: maximum number of requests of one host, including those it already has
-- Returns {'lost'}, {'behind'}, {'again'}, or {'ok', prefix of the lease ids, {arrival, attempt, score, host, json, …},
-- {host, throttle state, time of its loss, …} for hosts that are new to the worker, state of the crawl or '', 1 if there may be more}.

local reason = checkCall(1)
if reason then return {reason} end
local wanted, perHost = tonumber(ARGV[7]), tonumber(ARGV[8])
local id = me .. '-' .. callNo .. '-'
local state = call('HGET', K.counts, 'state') or ''
-- After this many bytes of requests, this call hands out no further one.
local ENOUGH = 4000000
local leases, bytes, taken, hosts = 0, 0, {}, {}
local function addLease(arrival, request)
  leases, bytes = leases + 1, bytes + #request.json
  for _, value in ipairs({arrival, request.attempt, request.score, request.host, request.json}) do taken[#taken + 1] = value end
end
local function addThrottle(host)
  local throttle, lost = throttleOf(host)
  if throttle ~= '' or lost ~= '' then
    for _, value in ipairs({host, throttle, lost}) do hosts[#hosts + 1] = value end
  end
end

if storedReply then
  local hasThrottle = {}
  for _, arrival in ipairs(call('ZRANGEBYSCORE', K.leased .. me, callNo, callNo)) do
    local request = read(arrival)
    if request then
      addLease(arrival, request)
      if not hasThrottle[request.host] then addThrottle(request.host) end
      hasThrottle[request.host] = true
    end
  end
  return {'ok', id, taken, hosts, state, bytes < ENOUGH and 0 or 1}
end

call('ZADD', K.workers, now + leaseMs, me)
if requeueDue() then return reply({'again'}) end
local open, held, leased = K.open .. me, K.held .. me, K.leased .. me

-- Leases the first request of an own host. The host must be in no line, and is added to the own line again.
local function take(host, out)
  repeat
    local arrival, request = call('ZPOPMIN', K.wait .. host)[1], nil
    if arrival then
      count('waiting', -1)
      countReady(me, -1)
      request = read(arrival)
    end
    if request then
      addLease(arrival, request)
      call('ZADD', leased, callNo, arrival)
      count('leased', 1)
      out = out + 1
    end
  until request or not arrival
  if out == 0 then return freeHost(host, me, 0) end
  call('HSET', held, host, out)
  if call('EXISTS', K.wait .. host) == 1 then addToLine(open, host, out) end
end
local function own(host)
  local n = call('ZCARD', K.wait .. host)
  count('free', -n)
  countReady(me, n)
  call('HSET', K.owners, host, me)
  addThrottle(host)
  take(host, 0)
end
local function head(line)
  local entry = call('ZRANGE', line, 0, 0, 'WITHSCORES')
  if not entry[1] then return nil end
  return {name = entry[1], score = tonumber(entry[2]), host = RANKED and entry[1]:sub(17) or entry[1]}
end
-- Own hosts with enough leased requests leave the line until the end of this call.
local aside = {}
local function nextOpen()
  while true do
    local next = head(open)
    if not next then return nil end
    next.out = tonumber(call('HGET', held, next.host)) or 0
    local isFull = next.out >= perHost
    if isFull and not RANKED then return nil end
    if not isFull then return next end
    call('ZREM', open, next.name)
    aside[#aside + 1] = next
  end
end

-- Hosts are shared fairly. A worker that has fewer hosts than its share and wants more is noted as the waiter. For a sixth of a
-- lease, no other worker gets hosts above its own share, nor requests of hosts while it has more than its share: these are freed when their
-- leased requests are settled.
local workers, hostsHeld = call('ZCARD', K.workers), call('HLEN', held)
local share, waiter = math.huge, call('HMGET', K.counts, 'waiter', 'waiterAt')
if workers > 1 then share = math.ceil((call('HLEN', K.owners) + call('ZCARD', K.free) + call('ZCARD', K.resting)) / workers) end
local isOtherWaiting = waiter[1] and waiter[1] ~= me and now - tonumber(waiter[2]) < leaseMs / 6
local function mayHold(n) return not isOtherWaiting or n <= share end

local isQuiet = quietUntil() ~= nil
while leases < wanted and bytes < ENOUGH and state == '' do
  local free, mine
  if not isQuiet and mayHold(hostsHeld + 1) then free = head(K.free) end
  if (RANKED or not free) and mayHold(hostsHeld) then mine = nextOpen() end
  if not free and not mine then break end
  local isMine = mine and not (free and (free.score < mine.score or (free.score == mine.score and free.name < mine.name)))
  if isMine then
    call('ZREM', open, mine.name)
    take(mine.host, mine.out)
  else
    call('ZREM', K.free, free.name)
    own(free.host)
    hostsHeld = hostsHeld + 1
  end
end
local isWaiting = leases < wanted and bytes < ENOUGH and state == '' and not isQuiet and workers > 1 and hostsHeld < share
if isWaiting then call('HSET', K.counts, 'waiter', me, 'waiterAt', now)
elseif waiter[1] == me then call('HDEL', K.counts, 'waiter', 'waiterAt') end
for _, host in ipairs(aside) do call('ZADD', open, host.score, host.name) end
keepReply('leased')
return reply({'ok', id, taken, hosts, state, bytes < ENOUGH and 0 or 1})
