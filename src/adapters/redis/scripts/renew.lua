-- renew.lua: renews the lease of a worker, which covers all its hosts.
-- include: crawl
-- ARGV[7] status: what the worker reports about itself (JSON)
-- ARGV[8] version: version of the operator's delays that the worker has, or ''
-- Returns {'ok', state of the crawl or ''}, {'ok', state, version, {host, delay (ms), …}} if the delays have changed, {'lost'} if the lease ended and its hosts were given to others,
-- {'behind'} if Redis has lost calls of this worker, or {'again'} if there is more to requeue.

local reason = checkCall(0)
if reason then return {reason} end
call('ZADD', K.workers, now + leaseMs, me)
call('HSET', K.worker .. me, 'status', ARGV[7], 'heardAt', now)
if requeueDue() then return reply({'again'}) end
local stored = call('HMGET', K.counts, 'state', 'hostDelaysVersion')
local state, version = stored[1] or '', stored[2] or ''
if version == ARGV[8] then return reply({'ok', state}) end
return reply({'ok', state, version, call('HGETALL', K.hostDelays)})
