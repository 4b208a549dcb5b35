-- forget.lua: removes URLs from the seen set.
-- include: crawl, seen
-- ARGV[7] caller: unique id of the caller
-- ARGV[8…] fingerprints: two for each URL
-- Returns how many of the URLs were known.

local mark = K.pushed .. ARGV[7]
-- A call that is repeated because its reply was lost gets the same reply.
local last = call('HMGET', mark, 'call', 'new')
if last[1] == callNo then return tonumber(last[2]) end

local function isRemoved(set, fingerprint)
  if not set or call('SREM', bucketOf(set, fingerprint), fingerprint) == 0 then return false end
  call('HINCRBY', set.state, 'seen', -1)
  return true
end
local function isForgotten(fingerprint)
  if isScrapy then return call('SREM', where, fingerprint) == 1 end
  return isRemoved(seenNow, fingerprint) or isRemoved(seenBefore, fingerprint)
end
local known = 0
for i = 8, #ARGV, 2 do
  local first, second = isForgotten(ARGV[i]), isForgotten(ARGV[i + 1])
  if first or second then known = known + 1 end
end
call('HSET', mark, 'call', callNo, 'new', known)
call('EXPIRE', mark, 3600)
return known
