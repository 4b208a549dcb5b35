-- leave.lua: ends a worker. Its requests and hosts become available to other workers.
-- include: crawl
-- ARGV[7] underWay: 'under way' if the worker has requested, or may have requested, what it still holds, otherwise ''
-- Returns 'ok', or 'again' if there is more to return.

if call('ZSCORE', K.workers, me) == false then return 'ok' end
return reply(reclaim(me, SOME, ARGV[7] ~= '' and now or nil) and 'ok' or 'again')
