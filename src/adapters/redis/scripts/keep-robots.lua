-- keep-robots.lua: stores the robots.txt record of an origin.
-- include: keys
-- ARGV[1] origin
-- ARGV[2] record: JSON
-- ARGV[3] ttl: time to live (ms)
-- Returns nothing.

call('SET', K.robots .. ARGV[1], ARGV[2], 'PX', ARGV[3])
