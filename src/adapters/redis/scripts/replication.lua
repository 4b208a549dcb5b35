-- replication.lua: returns the replication section of INFO.
-- Returns the text.

return redis.call('INFO', 'replication')
