import { LUA_KEYS } from '../keys.ts'

/**
 * What all scripts begin with: the arguments that each of them takes, the names of the keys, and the moves they are made of.
 *
 * A script never stops half way: whatever it reads from Redis may have been written by anybody, so it is checked before it is used.
 */
export const SHARED = `
-- KEYS 1 base of the job's keys   2 items
-- ARGV 1 now (ms)  2 order  3 worker (its fence; '' none)  4 call: its number  5 lease (ms)  6 deliveries of a request at most
--      7 how long the pace of a host is kept when its worker is lost (ms); a script's own arguments follow
local K = {
${LUA_KEYS}
}
local call = redis.call
local now, ORDER, me, callNo = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local leaseMs, maxDeliveries, keepPaceMs = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local FIRST = 8
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

-- A worker lives from its join until it leaves or is buried. Its last call and the reply are kept: a call that is repeated because its
-- reply was lost gets the same one.
local function lives() return call('HEXISTS', K.worker .. me, 'lives') == 1 end
local function earlierReply()
  local last = call('HMGET', K.worker .. me, 'call', 'reply')
  return last[1] == callNo and last[2]
end
local function keepReply(text)
  call('HSET', K.worker .. me, 'call', callNo, 'reply', text)
  return text
end

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

-- Takes back what a worker has. Lost: nobody knows whom it asked until its lease ended. Returns whether all is done.
local function takeBack(worker, most, isLost)
  call('HDEL', K.worker .. worker, 'lives')
  local leased = call('ZRANGE', K.leased .. worker, 0, most - 1)
  for _, arrival in ipairs(leased) do
    call('ZREM', K.leased .. worker, arrival)
    count('leased', -1)
    local request = read(arrival)
    if request then
      local losses = request.losses + (isLost and 1 or 0)
      if losses >= maxDeliveries then
        call('HDEL', K.requests, arrival)
        fail(request, '"code":"poison","reason":"' .. losses .. ' workers were lost while they had it"')
      else
        if isLost then store(arrival, request.attempt, losses, request.score, request.host, request.json) end
        enqueue(arrival, request.score, request.host)
      end
    end
  end
  if #leased == most then return false end
  local expiry = call('ZSCORE', K.workers, worker) or now
  local held = call('HSCAN', K.held .. worker, 0, 'COUNT', most)[2]
  for i = 1, #held, 2 do
    letGo(held[i], worker, 0)
    if isLost then
      call('HSET', K.lost, held[i], expiry)
      local forgetAt = tonumber(call('ZSCORE', K.fades, held[i])) or 0
      call('ZADD', K.fades, math.max(forgetAt, expiry + keepPaceMs), held[i])
    end
  end
  if call('EXISTS', K.held .. worker) == 1 then return false end
  readyOf[worker] = nil
  call('DEL', K.worker .. worker, K.open .. worker, K.leased .. worker)
  call('ZREM', K.workers, worker)
  return true
end

-- Puts in line what has become due, and what lost workers had. Returns whether there is more of it.
local SOME = 250
local function tend()
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
  local lost = call('ZRANGEBYSCORE', K.workers, '-inf', now, 'LIMIT', 0, 1)[1]
  if lost and now >= (tonumber(call('HGET', K.counts, 'amnesty')) or 0) then
    takeBack(lost, SOME, true)
    more = true
  end
  return more
end

-- Somebody works. When nobody did for long, Redis was away from all of them: each gets the time of a lease to come back.
local function heartbeat()
  local beat = tonumber(call('HGET', K.counts, 'beat')) or now
  if now - beat > leaseMs / 2 then call('HSET', K.counts, 'amnesty', now + leaseMs) end
  if now >= beat then call('HSET', K.counts, 'beat', now) end
end
`

/** For the scripts that add requests. */
export const SIEVE = `
-- Fingerprints lie in sets of whole numbers, which Redis keeps as sorted arrays of 8 bytes a number while they are small (at most 512). So their
-- number grows with what they hold, one at a time (linear hashing): bucket i of level n has the fingerprints whose first n bits are i, and
-- those before 'split' are already divided into two of level n + 1.
-- A fingerprint is a signed number of 64 bits in decimal; as a Lua number it is rounded, always in the same way.
local LOAD = 210
local sieve = call('HMGET', K.counts, 'level', 'split', 'seen')
local level, split, seen = tonumber(sieve[1]) or 0, tonumber(sieve[2]) or 0, tonumber(sieve[3]) or 0
local function bucketAt(bits, fingerprint)
  return math.min(math.floor((tonumber(fingerprint) + 2 ^ 63) / 2 ^ (64 - bits)), 2 ^ bits - 1)
end
local function bucketKey(bits, i) return string.format('%s%d:%d', K.seen, bits, i) end
local function isNew(fingerprint)
  local i = bucketAt(level, fingerprint)
  local key = i < split and bucketKey(level + 1, bucketAt(level + 1, fingerprint)) or bucketKey(level, i)
  if call('SADD', key, fingerprint) == 0 then return false end
  seen = seen + 1
  return true
end
local function addAll(key, members)
  for i = 1, #members, 1000 do call('SADD', key, unpack(members, i, math.min(i + 999, #members))) end
end
local function growSieve()
  while seen > LOAD * (2 ^ level + split) do
    local lower, upper = {}, {}
    for _, member in ipairs(call('SMEMBERS', bucketKey(level, split))) do
      local half = bucketAt(level + 1, member) == 2 * split and lower or upper
      half[#half + 1] = member
    end
    call('DEL', bucketKey(level, split))
    addAll(bucketKey(level + 1, 2 * split), lower)
    addAll(bucketKey(level + 1, 2 * split + 1), upper)
    split = split + 1
    if split == 2 ^ level then level, split = level + 1, 0 end
  end
  call('HSET', K.counts, 'level', level, 'split', split, 'seen', seen)
end

-- Adds the request whose five arguments begin at ARGV[i]: fingerprint ('' not filtered), due (ms), score, host, json.
local added, duplicates = 0, 0
local function add(i)
  local fingerprint, due, score, host, json = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  if fingerprint ~= '' and not isNew(fingerprint) then
    duplicates = duplicates + 1
    return
  end
  local arrival = arrive()
  store(arrival, 1, 0, score, host, json)
  enqueueAt(arrival, score, host, due)
  added = added + 1
end
`
