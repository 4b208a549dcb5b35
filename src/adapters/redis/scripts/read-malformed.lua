-- read-malformed.lua: reads stored values that could not be read as requests.
-- include: crawl
-- ARGV[7] limit: maximum number of values
-- Returns the values.

return call('LRANGE', K.malformed, 0, tonumber(ARGV[7]) - 1)
