-- scrapy-key-size.lua: returns the type and size of a key of scrapy-redis.
-- include: crawl
-- ARGV[7] key
-- Returns {type, number of entries}.

local kind = call('TYPE', ARGV[7]).ok
local size = ({list = 'LLEN', set = 'SCARD', zset = 'ZCARD'})[kind]
return {kind, size and call(size, ARGV[7]) or 0}
