-- take-session.lua: leases a session to one worker.
-- include: crawl-time
-- ARGV[1] owner: identity of the worker
-- ARGV[2] lease: how long it has the session unless it renews the lease (ms)
-- ARGV[3] wanted: id of a session, 'new' for one without requests, or '' for any
-- ARGV[4] max: maximum number of sessions of the crawl
-- ARGV[5] id: of the session to create if none is free
-- ARGV[6] session: that session (JSON)
-- Returns the session (JSON), 'unknown' if there is none of the wanted id, or '' if other workers have it, or all.

local owner, wanted = ARGV[1], ARGV[3]

local function ownerOf(id)
  local till, by = string.match(call('HGET', K.sessionLeases, id) or '', '^(%d+) (.+)$')
  if till and tonumber(till) > now then return by end
end

local function take(id)
  call('HSET', K.sessionLeases, id, string.format('%.0f', now + tonumber(ARGV[2])) .. ' ' .. owner)
  return call('HGET', K.sessions, id)
end

if wanted ~= '' and wanted ~= 'new' then
  if call('HEXISTS', K.sessions, wanted) == 0 then return 'unknown' end
  local by = ownerOf(wanted)
  -- Its own: the reply of an earlier call was lost.
  if by and by ~= owner then return '' end
  return take(wanted)
end

local free
for _, id in ipairs(call('HKEYS', K.sessions)) do
  if not ownerOf(id) then
    free = id
    break
  end
end
local canCreate = call('HLEN', K.sessions) < tonumber(ARGV[4])
if free and not (wanted == 'new' and canCreate) then return take(free) end
if not canCreate then return '' end
call('HSET', K.sessions, ARGV[5], ARGV[6])
return take(ARGV[5])
