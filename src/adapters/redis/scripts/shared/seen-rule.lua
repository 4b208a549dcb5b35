-- seen-rule.lua: parses the seen rule of a crawl, as readSeenText does. It is stored with the crawl, so that all workers use the same rule.
-- include: keys

local function keyIn(base, key) return base .. key:sub(#KEYS[1] + 1) end
local OWN_RULE = 'own 0 ' .. KEYS[1]
-- Returns the kind of fingerprints, the period (ms; 0: unlimited), and the base or key where they are stored.
local function readRule(text)
  local dupefilter, period, where = (text or ''):match('^(%S+) (%d+) (.+)$')
  local isKnown = dupefilter == 'own' or (dupefilter or ''):match('^scrapy%-[abc]$')
  if not isKnown or #period > 15 then return 'own', 0, KEYS[1] end
  return dupefilter, tonumber(period), where
end
