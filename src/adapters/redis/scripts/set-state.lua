-- set-state.lua: pauses, drains or resumes a crawl.
-- include: crawl
-- ARGV[7] state: 'paused', 'draining', or '' to resume
-- Returns the previous state, or ''. A crawl that is being cleared stays in that state.

local before = call('HGET', K.counts, 'state') or ''
if before ~= 'clearing' then
  -- Removed first: then a Redis whose memory is full accepts the new state.
  call('HDEL', K.counts, 'state')
  if ARGV[7] ~= '' then call('HSET', K.counts, 'state', ARGV[7]) end
end
return before
