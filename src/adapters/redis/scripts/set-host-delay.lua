-- set-host-delay.lua: sets the delay of a host for all workers, on behalf of an operator.
-- include: crawl
-- ARGV[7] host
-- ARGV[8] delay: ms, or '' to restore the configured delay
-- ARGV[9] limit: maximum number of hosts with a delay set by an operator
-- ARGV[10] version: a string that no other change has; a worker that has another one needs the delays again
-- Returns 'ok', 'full' if other hosts already reach the limit, or 'none' if there is no crawl or it is being cleared.

if not call('HGET', K.counts, 'order') then return 'none' end
local known = call('HEXISTS', K.hostDelays, ARGV[7]) == 1
if ARGV[8] ~= '' and not known and call('HLEN', K.hostDelays) >= tonumber(ARGV[9]) then return 'full' end
-- Removed first: then a Redis whose memory is full accepts the new values.
call('HDEL', K.hostDelays, ARGV[7])
if ARGV[8] ~= '' then call('HSET', K.hostDelays, ARGV[7], ARGV[8]) end
call('HSET', K.counts, 'hostDelaysVersion', ARGV[10])
return 'ok'
