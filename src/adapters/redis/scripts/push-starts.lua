-- push-starts.lua: adds start messages.
-- include: start-messages
-- ARGV[2] pusher: unique id of the caller
-- ARGV[3] call: number of the call
-- ARGV[4…] messages: score, message
-- Returns {'ok', number of new messages}.

local mark = K.pushed .. ARGV[2]
-- A call that is repeated because its reply was lost takes effect once.
local last = call('HMGET', mark, 'call', 'new')
if last[1] == ARGV[3] then return {'ok', tonumber(last[2])} end

if kind == 'none' then kind = ARGV[1] ~= '' and ARGV[1] or 'list' end
local new = 0
for i = 4, #ARGV, 2 do
  local score, message = ARGV[i], ARGV[i + 1]
  if kind == 'zset' then
    new = new + call('ZADD', KEYS[2], score, message)
  elseif kind == 'set' then
    new = new + call('SADD', KEYS[2], message)
  else
    call('RPUSH', KEYS[2], message)
    new = new + 1
  end
end
call('HSET', mark, 'call', ARGV[3], 'new', new)
call('EXPIRE', mark, 3600)
return {'ok', new}
