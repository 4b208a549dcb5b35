-- read-latest-dead.lua: counts the dead letters and reads the newest.
-- include: crawl
-- ARGV[7] limit: maximum number of letters
-- Returns {number of all dead letters, {letter, …}}, newest first.

return {call('ZCARD', K.dead), call('ZREVRANGE', K.dead, 0, tonumber(ARGV[7]) - 1)}
