-- read-dead.lua: reads dead letters, oldest first.
-- include: crawl
-- ARGV[7] number: read after the letter of this number
-- ARGV[8] limit: maximum number of letters
-- Returns {letter, number, …}.

return call('ZRANGEBYSCORE', K.dead, '(' .. ARGV[7], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[8])
