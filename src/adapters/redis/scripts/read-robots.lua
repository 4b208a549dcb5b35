-- read-robots.lua: returns the stored robots.txt record of an origin.
-- include: keys
-- ARGV[1] origin
-- Returns the record (JSON), or ''.

return call('GET', K.robots .. ARGV[1]) or ''
