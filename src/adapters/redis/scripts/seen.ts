/** Reads the rule by which a crawl remembers what it has seen, as `readSeenText` does. It is kept with the crawl, so that all go by the same one. */
export const RULE = `
local function keyIn(base, key) return base .. key:sub(#KEYS[1] + 1) end
local OWN_RULE = 'own 0 ' .. KEYS[1]
-- Returns which fingerprints, the period (ms; 0: for ever), and where they are.
local function readRule(text)
  local dupefilter, period, where = (text or ''):match('^(%S+) (%d+) (.+)$')
  local isKnown = dupefilter == 'own' or (dupefilter or ''):match('^scrapy%-[abc]$')
  if not isKnown or #period > 15 then return 'own', 0, KEYS[1] end
  return dupefilter, tonumber(period), where
end
`

/**
 * For the scripts that look at what was seen.
 *
 * A seen set is a family of sets of whole numbers, which Redis keeps as sorted arrays of 8 bytes a number while they are small (at most 512). So their
 * number grows with what they hold, one at a time (linear hashing): bucket i of level n has the fingerprints whose first n bits are i, and
 * those before `split` are already divided into two of level n + 1.
 *
 * One that forgets has a generation for each period: new fingerprints go to that of now, and those of the one before still count.
 */
export const SEEN = `
${RULE}local dupefilter, period, where = readRule(call('HGET', K.counts, 'rule'))
local isScrapy = dupefilter ~= 'own'
-- Before anything is changed: a script must not stop half way.
local seenKind = isScrapy and call('TYPE', where).ok or 'set'
if seenKind ~= 'set' and seenKind ~= 'none' then
  return redis.error_reply('WRONGTYPE ' .. where .. ' is no set of fingerprints, but a ' .. seenKind)
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
-- seenBefore: nil unless the set forgets.
local seenNow, seenBefore
if not isScrapy and period == 0 then
  seenNow = openSeen(keyIn(where, K.seen), keyIn(where, K.counts))
elseif not isScrapy then
  seenNow, seenBefore = generation(math.floor(now / period)), generation(math.floor(now / period) - 1)
end

-- A fingerprint is a signed number of 64 bits in decimal; as a Lua number it is rounded, always in the same way.
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
`
