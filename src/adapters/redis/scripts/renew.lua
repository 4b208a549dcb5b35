-- renew.lua: renews the lease of a worker, which covers all its hosts.
-- include: crawl
-- ARGV[7] status: what the worker reports about itself (JSON)
-- Returns {'ok', state of the crawl or ''}, {'lost'} if the lease ended and its hosts were given to others,
-- {'behind'} if Redis has lost calls of this worker, or {'again'} if there is more to requeue.

local reason = checkCall(0)
if reason then return {reason} end
call('ZADD', K.workers, now + leaseMs, me)
call('HSET', K.worker .. me, 'status', ARGV[7], 'heardAt', now)
return reply(requeueDue() and {'again'} or {'ok', call('HGET', K.counts, 'state') or ''})
