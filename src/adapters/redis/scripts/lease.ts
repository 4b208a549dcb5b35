import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** Hands out requests, and with them their hosts, to one worker. */
export const LEASE = script(
  'lease',
  SHARED,
  `
-- ARGV 7 requests at most  8 of one host at most, with what it has out
-- Returns {'lost'} or {'behind'}, {'again'}, or {'ok', what the ids of the leases begin with, {arrival, attempt, score, host, json, …},
-- {host, pace, when it was lost, …}, state of the crawl or '', 1 when there may be more}, the hosts being those that are new to the worker.
local refused = refusal(1)
if refused then return {refused} end
local wanted, perHost = tonumber(ARGV[FIRST]), tonumber(ARGV[FIRST + 1])
local id = me .. '-' .. callNo .. '-'
local state = call('HGET', K.counts, 'state') or ''
-- Bytes of requests after which no further one is handed out by this call.
local ENOUGH = 4000000
local leases, bytes, taken, hosts = 0, 0, {}, {}
local function tell(arrival, request)
  leases, bytes = leases + 1, bytes + #request.json
  for _, value in ipairs({arrival, request.attempt, request.score, request.host, request.json}) do taken[#taken + 1] = value end
end
local function tellPace(host)
  local pace, lost = paceOf(host)
  if pace ~= '' or lost ~= '' then
    for _, value in ipairs({host, pace, lost}) do hosts[#hosts + 1] = value end
  end
end

if earlier then
  local told = {}
  for _, arrival in ipairs(call('ZRANGEBYSCORE', K.leased .. me, callNo, callNo)) do
    local request = read(arrival)
    if request then
      tell(arrival, request)
      if not told[request.host] then tellPace(request.host) end
      told[request.host] = true
    end
  end
  return {'ok', id, taken, hosts, state, bytes < ENOUGH and 0 or 1}
end

call('ZADD', K.workers, now + leaseMs, me)
if tend() then return reply({'again'}) end
local open, held, leased = K.open .. me, K.held .. me, K.leased .. me

-- The first request of a host that is ours, to us. The host must be in no line, and is put back in ours.
local function take(host, out)
  repeat
    local arrival, request = call('ZPOPMIN', K.wait .. host)[1], nil
    if arrival then
      count('waiting', -1)
      countReady(me, -1)
      request = read(arrival)
    end
    if request then
      tell(arrival, request)
      call('ZADD', leased, callNo, arrival)
      count('leased', 1)
      out = out + 1
    end
  until request or not arrival
  if out == 0 then return letGo(host, me, 0) end
  call('HSET', held, host, out)
  if call('EXISTS', K.wait .. host) == 1 then stand(open, host, out) end
end
local function own(host)
  local n = call('ZCARD', K.wait .. host)
  count('free', -n)
  countReady(me, n)
  call('HSET', K.owners, host, me)
  tellPace(host)
  take(host, 0)
end
local function head(line)
  local entry = call('ZRANGE', line, 0, 0, 'WITHSCORES')
  if not entry[1] then return nil end
  return {name = entry[1], score = tonumber(entry[2]), host = RANKED and entry[1]:sub(17) or entry[1]}
end
-- Those of our own that have enough out step aside until we are done.
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

-- Hosts are shared fairly. A worker that has fewer than its share and wants more says so; for a moment, no other takes hosts above its own share, nor requests of
-- the hosts that it has above it: what it has out of them ends, and they are let go.
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
`,
)
