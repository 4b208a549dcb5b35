-- seen.lua: the seen set of a crawl, for scripts that read it.
-- include: crawl, seen-rule
-- Redis stores a set of at most 512 integers as a sorted array of 8 bytes each. So a seen set is a family of small sets
-- whose number grows one at a time (linear hashing): bucket i of level n has the fingerprints whose first n bits are i,
-- and the buckets before `split` are already divided into two of level n + 1.
-- A set that forgets has a generation for each period: new fingerprints go to the current one, and the previous one still counts.

local dupefilter, period, where = readRule(call('HGET', K.counts, 'rule'))
local isScrapy = dupefilter ~= 'own'
-- Checked before anything is changed: a script must not stop half way.
local seenKind = isScrapy and call('TYPE', where).ok or 'set'
if seenKind ~= 'set' and seenKind ~= 'none' then
  return redis.error_reply('WRONGTYPE ' .. where .. ' is not a set of fingerprints but a ' .. seenKind)
end

local function openSeen(prefix, state, keepMs)
  local n = call('HMGET', state, 'level', 'split', 'seen')
  return {
    prefix = prefix, state = state, keepMs = keepMs,
    level = tonumber(n[1]) or 0, split = tonumber(n[2]) or 0, seen = tonumber(n[3]) or 0,
  }
end
local function generation(n)
  local prefix = string.format('%s%.0f', keyIn(where, K.seen), n)
  return openSeen(prefix .. ':', prefix, (n + 2) * period - now)
end
-- seenBefore is nil unless the set forgets.
local seenNow, seenBefore
if not isScrapy and period == 0 then
  seenNow = openSeen(keyIn(where, K.seen), keyIn(where, K.counts))
elseif not isScrapy then
  seenNow, seenBefore = generation(math.floor(now / period)), generation(math.floor(now / period) - 1)
end

-- A fingerprint is a signed 64-bit integer in decimal. A Lua number rounds it, always in the same way.
local function bucketAt(bits, fingerprint)
  return math.min(math.floor(((tonumber(fingerprint) or 0) + 2 ^ 63) / 2 ^ (64 - bits)), 2 ^ bits - 1)
end
local function bucketKey(set, bits, i) return string.format('%s%d:%d', set.prefix, bits, i) end
local function bucketOf(set, fingerprint)
  local i = bucketAt(set.level, fingerprint)
  if i < set.split then return bucketKey(set, set.level + 1, bucketAt(set.level + 1, fingerprint)) end
  return bucketKey(set, set.level, i)
end
local function seenCount()
  if isScrapy then return call('SCARD', where) end
  return seenNow.seen + (seenBefore and seenBefore.seen or 0)
end
