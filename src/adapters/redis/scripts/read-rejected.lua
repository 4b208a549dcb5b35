-- read-rejected.lua: reads rejected items by position.
-- include: crawl
-- ARGV[7] position: read after this position
-- ARGV[8] limit: maximum number of items
-- Returns the items.

local from = tonumber(ARGV[7])
return call('LRANGE', K.rejected, from, from + tonumber(ARGV[8]) - 1)
