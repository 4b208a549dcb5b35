-- keep-sessions.lua: stores sessions of a worker and renews their leases, or ends them.
-- include: crawl-time
-- ARGV[1] owner: identity of the worker
-- ARGV[2] lease: how long it has them unless it renews the lease again (ms)
-- ARGV[3…] sessions: 'keep', 'free' or 'retire', id, session (JSON) or '' if it has not changed
-- Returns the ids of sessions that the worker has no more.

local lost = {}
for i = 3, #ARGV, 3 do
  local verb, id, session = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local by = string.match(call('HGET', K.sessionLeases, id) or '', '^%d+ (.+)$')
  if by ~= ARGV[1] then
    lost[#lost + 1] = id
  elseif verb == 'retire' then
    call('HDEL', K.sessions, id)
    call('HDEL', K.sessionLeases, id)
  else
    if session ~= '' then call('HSET', K.sessions, id, session) end
    if verb == 'free' then
      call('HDEL', K.sessionLeases, id)
    else
      call('HSET', K.sessionLeases, id, string.format('%.0f', now + tonumber(ARGV[2])) .. ' ' .. ARGV[1])
    end
  end
end
return lost
