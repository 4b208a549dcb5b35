-- read-items.lua: reads items by position, counted from the first item of the crawl even if items were taken from the front.
-- include: crawl, item-list
-- ARGV[7] position: read after this position
-- ARGV[8] limit: maximum number of items
-- Returns {position of the first, items, URLs, number of items before the first that has a URL}.

local held = call('LLEN', KEYS[2])
-- Other programs may also have added items: then the number of removed ones is unknown.
local gone = math.max((tonumber(call('HGET', K.counts, 'items')) or 0) - held, 0)
local from = math.max(tonumber(ARGV[7]) - gone, 0)
local upTo = from + tonumber(ARGV[8]) - 1
-- The URLs belong to the last items of the list.
local ahead = call('LLEN', K.itemUrls) - held
local urls = upTo + ahead < 0 and {} or call('LRANGE', K.itemUrls, math.max(from + ahead, 0), upTo + ahead)
return {gone + from + 1, call('LRANGE', KEYS[2], from, upTo), urls, math.max(-(from + ahead), 0)}
