import { LUA_KEYS } from '../keys.ts'
import { CRAWL_TIME } from './crawl-time.ts'

/**
 * What all scripts begin with: the arguments that each of them takes, the names of the keys, and the moves they are made of.
 *
 * A script never stops half way: whatever it reads from Redis may have been written by anybody, so it is checked before it is used.
 */
export const SHARED = `
-- KEYS 1 base of the job's keys   2 items
-- ARGV 1 order  2 worker (its fence; '' none)  3 call: its number  4 lease (ms)  5 deliveries of a request at most
--      6 how long the pace of a host is kept when its worker is lost (ms); a script's own arguments follow
local K = {
${LUA_KEYS}
}
${CRAWL_TIME}
local call = redis.call
local ORDER, me, callNo = ARGV[1], ARGV[2], ARGV[3]
local leaseMs, maxDeliveries, keepPaceMs = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local FIRST = 7
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

-- A worker lives from its join until it leaves or is given up. It numbers its calls, and the last one is kept with its reply: a call that is repeated because
-- its reply was lost gets the same one (earlier).
-- Returns nil when the call may take effect; 'lost' when the worker is not known any more; 'behind' when Redis has not the calls before this one: it
-- came back without its last moments. A call is one ahead of the last, or repeats it; what is not numbered itself (ahead: 0) carries the number of the last.
local earlier
local function refusal(ahead)
  local stored = call('HMGET', K.worker .. me, 'lives', 'call', 'reply')
  if not stored[1] then return 'lost' end
  local step = tonumber(callNo) - (tonumber(stored[2]) or 0)
  if step == 0 then earlier = stored[3] elseif step ~= ahead then return 'behind' end
end
local function keepReply(text)
  call('HSET', K.worker .. me, 'call', callNo, 'reply', text)
  return text
end

-- Something came, or ended: those who wait for more begin to wait anew.
local function active() call('HSET', K.counts, 'activeAt', now) end

-- A stored request: "attempt losses score hostBytes LF host json", the number of its arrival being its name.
-- 16 digits: names of one length sort as text as they do as numbers.
local function arrive()
  return string.format('%.0f', 1e15 + call('HINCRBY', K.counts, 'arrivals', 1))
end
local function store(arrival, attempt, losses, score, host, json)
  local head = string.format('%d %d %s %d', attempt, losses, score, #host)
  call('HSET', K.requests, arrival, head .. '\\n' .. host .. json)
end
local function bury(arrival, payload)
  call('HDEL', K.requests, arrival)
  call('RPUSH', K.malformed, payload or '')
  count('malformed', 1)
end
-- nil, and buried, when it is malformed.
local function read(arrival)
  local payload = call('HGET', K.requests, arrival)
  local attempt, losses, score, bytes, at = (payload or ''):match('^(%d+) (%d+) (%S+) (%d+)()\\n')
  local number, length = tonumber(score), tonumber(bytes)
  if not number or number ~= number or #payload < at + length then return bury(arrival, payload) end
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
  -- By kind, for people who look: "failed http-404".
  count('failed ' .. (failure:match('^"code":"([%w%-]+)"') or 'other'), 1)
end

-- Lines: K.free has the hosts that nobody holds and K.open .. worker those that a worker holds; only hosts with requests that could be handed out.
-- By hosts, the score is the turn, and what is out. In the other orders a host stands for the first of its requests.
local function first(host)
  local head = call('ZRANGE', K.wait .. host, 0, 0, 'WITHSCORES')
  return head[1], head[2]
end
local function stand(line, host, out)
  if not RANKED then return call('ZADD', line, out or call('HINCRBY', K.counts, 'turns', 1), host) end
  local arrival, score = first(host)
  call('ZADD', line, score, arrival .. host)
end
local function leaveLine(line, host)
  if not RANKED then return call('ZREM', line, host) end
  local arrival = first(host)
  if arrival then call('ZREM', line, arrival .. host) end
end

-- A request waits for its turn: at the host's, wherever that stands.
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
  if line and RANKED then leaveLine(line, host) end
  call('ZADD', K.wait .. host, score, arrival)
  if line and (RANKED or out or not call('ZSCORE', line, host)) then stand(line, host, out) end
end
local function enqueueAt(arrival, score, host, due)
  if due <= now then return enqueue(arrival, score, host) end
  call('ZADD', K.delayed, due, arrival)
end

-- Nobody holds the host any more. It rests first when it must.
local function letGo(host, worker, readyAt)
  local n = call('ZCARD', K.wait .. host)
  if n > 0 then leaveLine(K.open .. worker, host) end
  call('HDEL', K.held .. worker, host)
  call('HDEL', K.owners, host)
  if n == 0 then return end
  countReady(worker, -n)
  if readyAt > now then
    call('ZADD', K.resting, readyAt, host)
    count('resting', n)
  else
    count('free', n)
    stand(K.free, host)
  end
end

-- How a host stands, for whoever asks it next; forgotten when it is of no use any more.
local function keepPace(host, json, forgetAt)
  call('HSET', K.paces, host, json)
  call('HDEL', K.lost, host)
  call('ZADD', K.fades, forgetAt, host)
end
local function paceOf(host)
  return call('HGET', K.paces, host) or '', call('HGET', K.lost, host) or ''
end
local function forgetPaces(most)
  for _, host in ipairs(call('ZRANGEBYSCORE', K.fades, '-inf', now, 'LIMIT', 0, most)) do
    call('ZREM', K.fades, host)
    call('HDEL', K.paces, host)
    call('HDEL', K.lost, host)
  end
end

-- Takes back what a worker has. Returns whether all is done.
-- lostAt: its requests until then (ms) are unknown; nil: it has no request under way. isDead: what it had may be the reason.
local function takeBack(worker, most, lostAt, isDead)
  call('HDEL', K.worker .. worker, 'lives')
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
  -- It goes on where it stopped: the places of those that were removed are still looked through.
  local cursor = call('HGET', K.worker .. worker, 'cursor') or '0'
  local page = call('HSCAN', K.held .. worker, cursor, 'COUNT', most)
  call('HSET', K.worker .. worker, 'cursor', page[1])
  local held = page[2]
  for i = 1, #held, 2 do
    letGo(held[i], worker, 0)
    if lostAt then
      call('HSET', K.lost, held[i], lostAt)
      local forgetAt = tonumber(call('ZSCORE', K.fades, held[i])) or 0
      call('ZADD', K.fades, math.max(forgetAt, lostAt + keepPaceMs), held[i])
    end
  end
  if call('EXISTS', K.held .. worker) == 1 then return false end
  readyOf[worker] = nil
  call('DEL', K.worker .. worker, K.open .. worker, K.leased .. worker)
  call('ZREM', K.workers, worker)
  return true
end

-- Before a worker is given up. When no call looked for lost workers for longer than a third of a lease, Redis was away from all workers, or its clock was
-- set forward: each worker gets the time of a lease to come back. A worker uses two thirds of its lease, so that a smaller jump of the clock
-- cannot end a lease that its worker still counts on.
--
-- A Redis that was started anew, or another one that took over, may have forgotten its last moments, and with them who owns a host. So it hands out no host for as
-- long as a worker may count on what it was given before (two thirds of a lease): each can first say what it knows.
local function heartbeat()
  if beat > 0 and now - beat > leaseMs / 3 then call('HSET', K.counts, 'amnesty', now + leaseMs) end
  -- Not every server allows INFO: without it, a Redis that was started anew is not told from one that was away.
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

-- Until when no host is handed out (ms), or nil.
local function quietUntil()
  local untilMs = tonumber(call('HGET', K.counts, 'quietUntil'))
  return untilMs and untilMs > now and untilMs or nil
end

-- Puts in line what has become due, and what lost workers had. Returns whether there is more of it.
local SOME = 250
local function tend()
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
    if n > 0 then stand(K.free, host) end
  end
  local more = #due == SOME or #rested == SOME
  local lost = call('ZRANGEBYSCORE', K.workers, '-inf', now, 'LIMIT', 0, 1, 'WITHSCORES')
  if lost[1] and now >= (tonumber(call('HGET', K.counts, 'amnesty')) or 0) then
    takeBack(lost[1], SOME, tonumber(lost[2]), true)
    more = true
  end
  return more
end

`
