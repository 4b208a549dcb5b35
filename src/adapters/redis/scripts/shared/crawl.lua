-- crawl.lua: the functions that the scripts of workers share.
-- include: keys, crawl-time
-- KEYS[2] items: list of items
-- ARGV[1] order: order in which requests are handed out
-- ARGV[2] worker: fence of the calling worker, or ''
-- ARGV[3] call: number of the call
-- ARGV[4] lease: duration of a lease (ms)
-- ARGV[5] deliveries: maximum number of deliveries of a request
-- ARGV[6] storeThrottle: how long the throttle state of a host is kept after its worker was lost (ms)
-- The arguments of each script follow from ARGV[7].
--
-- A script never stops half way. Any program may have written the values that it reads, so they are checked before use.

local ORDER, me, callNo = ARGV[1], ARGV[2], ARGV[3]
local leaseMs, maxDeliveries, keepThrottleMs = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local RANKED = ORDER ~= 'hosts'

-- Counters are gathered and written once, by reply().
local counts, readyOf = {}, {}
local function count(name, n) counts[name] = (counts[name] or 0) + n end
local function countReady(worker, n) readyOf[worker] = (readyOf[worker] or 0) + n end
local function reply(value)
  for name, n in pairs(counts) do
    if n ~= 0 then call('HINCRBY', K.counts, name, n) end
  end
  for worker, n in pairs(readyOf) do
    if n ~= 0 then call('HINCRBY', K.worker .. worker, 'ready', n) end
  end
  return value
end

-- A worker exists from its join until it leaves or is given up. It numbers its calls. The last call is stored with its reply:
-- a call that is repeated because its reply was lost gets the same reply (storedReply).
-- Returns nil if the call may take effect; 'lost' if the worker is unknown; 'behind' if Redis does not have the calls before
-- this one, because it lost its latest writes. The number of a call is one ahead of the last (ahead: 1), or equal if it is repeated. A call
-- without a number of its own (ahead: 0) carries the number of the last.
local storedReply
local function checkCall(ahead)
  local stored = call('HMGET', K.worker .. me, 'lives', 'call', 'reply')
  if not stored[1] then return 'lost' end
  local step = tonumber(callNo) - (tonumber(stored[2]) or 0)
  if step == 0 then storedReply = stored[3] elseif step ~= ahead then return 'behind' end
end
local function keepReply(text)
  call('HSET', K.worker .. me, 'call', callNo, 'reply', text)
  return text
end

-- The number of shards that the crawl was created with; nil if it was not. Crawls from before there were shards have one.
local function storedShards()
  local stored = call('HMGET', K.counts, 'shards', 'fences')
  return stored[1] or (stored[2] and '1') or nil
end

-- Something was added or finished: idle timers start again.
local function markActive() call('HSET', K.counts, 'activeAt', now) end

-- A stored request: "attempt losses score hostBytes LF host json", under its arrival number.
-- 16 digits: numbers of equal length sort as text as they do as numbers.
local function newArrival()
  return string.format('%.0f', 1e15 + call('HINCRBY', K.counts, 'arrivals', 1))
end
local function store(arrival, attempt, losses, score, host, json)
  local head = string.format('%d %d %s %d', attempt, losses, score, #host)
  call('HSET', K.requests, arrival, head .. '\n' .. host .. json)
end
local function moveToMalformed(arrival, payload)
  call('HDEL', K.requests, arrival)
  call('RPUSH', K.malformed, payload or '')
  count('malformed', 1)
end
-- Returns nil, and moves the value to the malformed ones, if it cannot be read.
local function read(arrival)
  local payload = call('HGET', K.requests, arrival)
  local attempt, losses, score, bytes, at = (payload or ''):match('^(%d+) (%d+) (%S+) (%d+)()\n')
  local number, length = tonumber(score), tonumber(bytes)
  if not number or number ~= number or #payload < at + length then return moveToMalformed(arrival, payload) end
  return {
    attempt = tonumber(attempt), losses = tonumber(losses), score = score,
    host = payload:sub(at + 1, at + length), json = payload:sub(at + length + 1),
  }
end
local function fail(request, failure)
  local n = call('HINCRBY', K.counts, 'letters', 1)
  local head = string.format('{"n":%d,"attempts":%d,"failedAt":%.0f,', n, request.attempt, now)
  call('ZADD', K.dead, n, head .. failure .. ',"request":' .. request.json .. '}')
  count('failed', 1)
  -- By kind, for display: "failed http-404".
  count('failed ' .. (failure:match('^"code":"([%w%-]+)"') or 'other'), 1)
end

-- Lines of hosts that have requests ready: K.free has the hosts without an owner, K.open .. worker the hosts of a worker.
-- In the order 'hosts' the score is the turn (K.free) or the number of leased requests (K.open). In the other orders the
-- entry of a host is its first request.
local function first(host)
  local head = call('ZRANGE', K.wait .. host, 0, 0, 'WITHSCORES')
  return head[1], head[2]
end
local function addToLine(line, host, out)
  if not RANKED then return call('ZADD', line, out or call('HINCRBY', K.counts, 'turns', 1), host) end
  local arrival, score = first(host)
  call('ZADD', line, score, arrival .. host)
end
local function removeFromLine(line, host)
  if not RANKED then return call('ZREM', line, host) end
  local arrival = first(host)
  if arrival then call('ZREM', line, arrival .. host) end
end

-- Queues a request with its host.
local function enqueue(arrival, score, host)
  if ORDER == 'fifo' then score = 0 elseif ORDER == 'lifo' then score = '-' .. arrival end
  local line, out
  local owner = call('HGET', K.owners, host)
  if owner then
    line = K.open .. owner
    if not RANKED then out = tonumber(call('HGET', K.held .. owner, host)) or 0 end
    countReady(owner, 1)
  elseif call('ZSCORE', K.resting, host) then
    count('resting', 1)
  else
    line = K.free
    count('free', 1)
  end
  count('waiting', 1)
  if line and RANKED then removeFromLine(line, host) end
  call('ZADD', K.wait .. host, score, arrival)
  if line and (RANKED or out or not call('ZSCORE', line, host)) then addToLine(line, host, out) end
end
local function enqueueAt(arrival, score, host, due)
  if due <= now then return enqueue(arrival, score, host) end
  call('ZADD', K.delayed, due, arrival)
end

-- Ends the ownership of a host. It is delayed until readyAt (ms).
local function freeHost(host, worker, readyAt)
  local n = call('ZCARD', K.wait .. host)
  if n > 0 then removeFromLine(K.open .. worker, host) end
  call('HDEL', K.held .. worker, host)
  call('HDEL', K.owners, host)
  if n == 0 then return end
  countReady(worker, -n)
  if readyAt > now then
    call('ZADD', K.resting, readyAt, host)
    count('resting', n)
  else
    count('free', n)
    addToLine(K.free, host)
  end
end

-- The throttle state of a host, for its next owner. It is forgotten when it no longer matters.
local function storeThrottle(host, json, forgetAt)
  call('HSET', K.paces, host, json)
  call('HDEL', K.lost, host)
  call('ZADD', K.fades, forgetAt, host)
end
local function throttleOf(host)
  return call('HGET', K.paces, host) or '', call('HGET', K.lost, host) or ''
end
local function forgetThrottles(most)
  for _, host in ipairs(call('ZRANGEBYSCORE', K.fades, '-inf', now, 'LIMIT', 0, most)) do
    call('ZREM', K.fades, host)
    call('HDEL', K.paces, host)
    call('HDEL', K.lost, host)
  end
end

-- The page limit of the run: pages so far, pages that workers have reserved, and the time of the last call (ms).
local function whole(n) return string.format('%.0f', n) end
local function budgetOf(field) return math.max(0, tonumber(call('HGET', K.budget, field)) or 0) end
-- Ends the page reservations of a worker.
local function returnPages(worker)
  local reserved = tonumber(call('HGET', K.worker .. worker, 'reserved'))
  if not reserved then return end
  call('HDEL', K.worker .. worker, 'reserved')
  call('HSET', K.budget, 'reserved', whole(math.max(0, budgetOf('reserved') - reserved)))
end

-- Requeues the requests of a worker and frees its hosts. Returns whether it is done.
-- lostAt (ms): it may have sent requests until then; nil: it has none under way. isDead: one of its requests may be the reason.
local function reclaim(worker, most, lostAt, isDead)
  call('HDEL', K.worker .. worker, 'lives')
  returnPages(worker)
  local leased = call('ZRANGE', K.leased .. worker, 0, most - 1)
  for _, arrival in ipairs(leased) do
    call('ZREM', K.leased .. worker, arrival)
    count('leased', -1)
    local request = read(arrival)
    if request then
      local losses = request.losses + (isDead and 1 or 0)
      if losses >= maxDeliveries then
        call('HDEL', K.requests, arrival)
        fail(request, '"code":"poison","reason":"' .. losses .. ' workers were lost while they had it"')
      else
        if isDead then store(arrival, request.attempt, losses, request.score, request.host, request.json) end
        enqueue(arrival, request.score, request.host)
      end
    end
  end
  if #leased == most then return false end
  -- Resumes where the previous call stopped: HSCAN still passes the places of removed entries.
  local cursor = call('HGET', K.worker .. worker, 'cursor') or '0'
  local page = call('HSCAN', K.held .. worker, cursor, 'COUNT', most)
  call('HSET', K.worker .. worker, 'cursor', page[1])
  local held = page[2]
  for i = 1, #held, 2 do
    freeHost(held[i], worker, 0)
    if lostAt then
      call('HSET', K.lost, held[i], lostAt)
      local forgetAt = tonumber(call('ZSCORE', K.fades, held[i])) or 0
      call('ZADD', K.fades, math.max(forgetAt, lostAt + keepThrottleMs), held[i])
    end
  end
  if call('EXISTS', K.held .. worker) == 1 then return false end
  readyOf[worker] = nil
  call('DEL', K.worker .. worker, K.open .. worker, K.leased .. worker)
  call('ZREM', K.workers, worker)
  return true
end

-- Runs before a worker is given up. If no call looked for lost workers for longer than a third of a lease, Redis was
-- unreachable for all workers, or its clock was set forward: each worker gets one lease to come back. A worker uses two thirds of its lease,
-- so a smaller jump of the clock cannot end a lease that its worker still relies on.
--
-- A Redis that was restarted, or a replica that took over, may have lost its latest writes, and with them the owner of a host. So no host
-- is handed out for as long as a worker may rely on its lease (two thirds of it): each worker can first report what it knows.
local function heartbeat()
  if beat > 0 and now - beat > leaseMs / 3 then call('HSET', K.counts, 'amnesty', now + leaseMs) end
  -- Some servers do not allow INFO. Without it, a restart cannot be told from an outage.
  local info = redis.pcall('INFO', 'server')
  local run = type(info) == 'string' and info:match('run_id:(%x+)') or ''
  local lastRun = call('HGET', K.counts, 'run')
  if lastRun ~= run then
    call('HSET', K.counts, 'run', run)
    if lastRun then call('HSET', K.counts, 'quietUntil', math.floor(now + leaseMs * 2 / 3)) end
  end
  if now > serverTime + clockShift then call('HSET', K.counts, 'clockShift', now - serverTime) end
  if now > beat then call('HSET', K.counts, 'beat', now) end
end

-- The time until which no host is handed out (ms), or nil.
local function quietUntil()
  local untilMs = tonumber(call('HGET', K.counts, 'quietUntil'))
  return untilMs and untilMs > now and untilMs or nil
end

-- Queues due requests and hosts, and reclaims those of lost workers. Returns whether there are more.
local SOME = 250
local function requeueDue()
  heartbeat()
  local due = call('ZRANGEBYSCORE', K.delayed, '-inf', now, 'LIMIT', 0, SOME)
  for _, arrival in ipairs(due) do
    call('ZREM', K.delayed, arrival)
    local request = read(arrival)
    if request then enqueue(arrival, request.score, request.host) end
  end
  local rested = call('ZRANGEBYSCORE', K.resting, '-inf', now, 'LIMIT', 0, SOME)
  for _, host in ipairs(rested) do
    call('ZREM', K.resting, host)
    local n = call('ZCARD', K.wait .. host)
    count('resting', -n)
    count('free', n)
    if n > 0 then addToLine(K.free, host) end
  end
  local more = #due == SOME or #rested == SOME
  local lost = call('ZRANGEBYSCORE', K.workers, '-inf', now, 'LIMIT', 0, 1, 'WITHSCORES')
  if lost[1] and now >= (tonumber(call('HGET', K.counts, 'amnesty')) or 0) then
    reclaim(lost[1], SOME, tonumber(lost[2]), true)
    more = true
  end
  return more
end
