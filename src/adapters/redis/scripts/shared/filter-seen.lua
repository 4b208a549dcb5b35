-- filter-seen.lua: adds requests unless their fingerprints were seen.
-- include: seen

-- Average number of fingerprints in a bucket.
local LOAD = 210
local expiring = {}
-- Redis removes a generation itself when it no longer counts.
local function expire(set, key)
  if not set.keepMs or expiring[key] then return end
  expiring[key] = true
  call('PEXPIRE', key, string.format('%.0f', set.keepMs))
end
local function isNew(fingerprint)
  if isScrapy then return call('SADD', where, fingerprint) == 1 end
  if seenBefore and call('SISMEMBER', bucketOf(seenBefore, fingerprint), fingerprint) == 1 then return false end
  local bucket = bucketOf(seenNow, fingerprint)
  if call('SADD', bucket, fingerprint) == 0 then return false end
  expire(seenNow, bucket)
  seenNow.seen = seenNow.seen + 1
  return true
end
local function addAll(set, i, members)
  if #members == 0 then return end
  local key = bucketKey(set, set.level + 1, i)
  for from = 1, #members, 1000 do call('SADD', key, unpack(members, from, math.min(from + 999, #members))) end
  expire(set, key)
end
local function growSeen()
  if isScrapy then return end
  local set = seenNow
  while set.seen > LOAD * (2 ^ set.level + set.split) do
    local whole, lower, upper = bucketKey(set, set.level, set.split), {}, {}
    for _, member in ipairs(call('SMEMBERS', whole)) do
      local half = bucketAt(set.level + 1, member) == 2 * set.split and lower or upper
      half[#half + 1] = member
    end
    call('DEL', whole)
    addAll(set, 2 * set.split, lower)
    addAll(set, 2 * set.split + 1, upper)
    set.split = set.split + 1
    if set.split == 2 ^ set.level then set.level, set.split = set.level + 1, 0 end
  end
  call('HSET', set.state, 'level', set.level, 'split', set.split, 'seen', set.seen)
  expire(set, set.state)
end

-- Another shard may hand over a request twice, if its worker was lost in between: the mark tells. It is needed until the shard that had the
-- request knows that it was handed over, which takes a few leases, or as long as no worker runs.
local MARKED_MS = 7 * 24 * 3600 * 1000
local function isHandedOver(mark)
  for _, old in ipairs(call('ZRANGEBYSCORE', K.handovers, '-inf', now - MARKED_MS, 'LIMIT', 0, 2)) do call('ZREM', K.handovers, old) end
  return call('ZADD', K.handovers, 'NX', now, mark) == 0
end

-- Adds the request whose five arguments begin at ARGV[i]: fingerprint, due (ms), score, host, json.
-- Without a fingerprint it is neither compared nor remembered. If isForced, or with '!' before the fingerprint, it is
-- remembered, and added although it was seen. '@', a mark and a space may come first: added again with that mark, it is a duplicate.
local added, duplicates = 0, 0
local function add(i, isForced)
  local fingerprint, due, score, host, json = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  if fingerprint:sub(1, 1) == '@' then
    local mark, filter = fingerprint:match('^@(%S+) (.*)$')
    if mark and isHandedOver(mark) then
      duplicates = duplicates + 1
      return
    end
    fingerprint = filter or ''
  end
  if fingerprint:sub(1, 1) == '!' then fingerprint, isForced = fingerprint:sub(2), true end
  if fingerprint ~= '' and not isNew(fingerprint) and not isForced then
    duplicates = duplicates + 1
    return
  end
  local arrival = newArrival()
  store(arrival, 1, 0, score, host, json)
  enqueueAt(arrival, score, host, due)
  added = added + 1
end
