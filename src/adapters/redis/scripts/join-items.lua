-- join-items.lua: registers a process as the consumer of a name. It replaces an earlier process of that name.
-- include: item-consumer
-- Returns the state that the consumer of that name last stored, or ''.

-- A Redis whose memory is full lets a script write if its first write adds nothing. Taking items frees memory, so it must work then.
call('HDEL', me, 'token')
call('HSET', me, 'token', token, 'acknowledged', 0)
call('EXPIRE', me, KEPT_SECONDS)
return call('HGET', me, 'state') or ''
